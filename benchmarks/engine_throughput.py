"""Tokens per second of the torch engine against ``transformers.generate``, on one model in one run.

    OMP_NUM_THREADS=1 python -m benchmarks.engine_throughput [--json FILE] [--repeats N]

A Llama of 0.83 M parameters (width 128, 4 layers), prompts of 16 tokens, 64 sampled tokens with log-probabilities, one
thread, no end token (every row is sampled to the end). Both sides sample from the whole vocabulary at
temperature 1 and return log-probabilities of what they sampled. Measurements alternate, and the best of the repeats
counts, so that a busy machine disturbs both alike. ``distinct`` prompts show the decoder itself; ``repeated``
prompts are a small game's batch: 12 different ones, where equal prompts and prefixes share one forward. ``answers``
is how such a game is really played: the same 12 prompts, and masked sampling between two answers of four tokens.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from arena.types import PolicyId, Sampling
from training.engines.engine import Request
from training.engines.torch_engine import TorchEngine

VOCABULARY, PROMPT, NEW = 64, 16, 64
BATCHES = (1, 32, 128)
GAME_PROMPTS = 12
ANSWERS = ((1, 2, 4, 5), (1, 3, 4, 5))
POLICY = PolicyId(name="benchmark")


class Nobody:
    """Reads nothing: tokens are not turned into text, and no token ends a completion."""

    end_id = -1

    def text(self, token_ids: Sequence[int]) -> str:
        """Returns an empty text."""
        return ""


def build_model() -> Any:  # noqa: ANN401 (transformers has no common typed model)
    """Returns the benchmark's random model."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=360,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=256,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
        initializer_range=0.1,
    )
    return LlamaForCausalLM(config).eval()


def prompts(batch: int, kinds: int) -> list[tuple[int, ...]]:
    """Returns ``batch`` prompts, of which at most ``kinds`` differ."""
    random = np.random.default_rng(0)
    different = [tuple(random.integers(1, VOCABULARY, PROMPT).tolist()) for _ in range(min(kinds, batch))]
    return [different[n % len(different)] for n in range(batch)]


def library_run(model: Any, asked: Sequence[tuple[int, ...]]) -> Callable[[], None]:  # noqa: ANN401
    """Returns a call of ``transformers.generate`` that ends with the log-probabilities of the sampled tokens."""
    ids = torch.tensor(asked)

    def run() -> None:
        out = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=1.0,
            top_k=0,
            top_p=1.0,
            max_new_tokens=NEW,
            min_new_tokens=NEW,
            return_dict_in_generate=True,
            output_logits=True,
        )
        logprobs = torch.stack(out.logits, dim=1).log_softmax(-1)
        logprobs.gather(2, out.sequences[:, PROMPT:, None])

    return run


def engine_run(
    engine: TorchEngine, asked: Sequence[tuple[int, ...]], answers: tuple[tuple[int, ...], ...] | None = None
) -> Callable[[], None]:
    """Returns a call of the engine on the same prompts, in free text or among ``answers``."""
    sampling = Sampling(max_tokens=NEW)
    requests = [
        Request(id=str(n), policy=POLICY, prompt_ids=prompt, seed=n, sampling=sampling, answers=answers)
        for n, prompt in enumerate(asked)
    ]

    def run() -> None:
        engine.generate(requests)

    return run


def disagreement(engine: TorchEngine, model: Any) -> float:  # noqa: ANN401
    """Returns the greatest difference between sampled log-probabilities and those of a plain forward."""
    sampling = Sampling(max_tokens=NEW)
    requests = [
        Request(id=str(n), policy=POLICY, prompt_ids=prompt[: 4 + n], seed=n, sampling=sampling)
        for n, prompt in enumerate(prompts(12, 12))
    ]
    worst = 0.0
    for completion in engine.generate(requests):
        with torch.inference_mode():
            logits = model(torch.tensor([completion.prompt_ids + completion.token_ids])).logits[0]
        plain = logits.log_softmax(-1)[len(completion.prompt_ids) - 1 : -1]
        wanted = plain.gather(1, torch.tensor(completion.token_ids)[:, None])[:, 0]
        worst = max(worst, float((wanted - torch.tensor(completion.logprobs)).abs().max()))
    return worst


def measure(repeats: int) -> dict[str, Any]:
    """Returns every figure of the table."""
    model = build_model()
    engines = {
        "engine": TorchEngine(config=model.config, reader=Nobody()),
        "engine, nothing shared": TorchEngine(config=model.config, reader=Nobody(), deduplicate=False),
    }
    for engine in engines.values():
        engine.load(POLICY, model.state_dict())
    rows = []
    for batch in BATCHES:
        for label, kinds in (("distinct", batch), ("repeated", GAME_PROMPTS)):
            asked = prompts(batch, kinds)
            runs = {"transformers": library_run(model, asked)}
            runs |= {name: engine_run(engine, asked) for name, engine in engines.items()}
            best = _best_seconds(runs, repeats)
            speed = {name: batch * NEW / seconds for name, seconds in best.items()}
            rows.append({"batch": batch, "prompts": label, "tokens_per_s": speed})
        asked = prompts(batch, GAME_PROMPTS)
        best = _best_seconds({name: engine_run(engine, asked, ANSWERS) for name, engine in engines.items()}, repeats)
        speed = {name: batch * len(ANSWERS[0]) / seconds for name, seconds in best.items()}
        rows.append({"batch": batch, "prompts": "answers", "tokens_per_s": speed})
    return {
        "machine": machine(),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "prompt_tokens": PROMPT,
        "new_tokens": NEW,
        "rows": rows,
        "disagreement": disagreement(engines["engine"], model),
    }


def machine() -> str:
    """Returns one line that says what the figures were measured on."""
    import transformers

    return (
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, torch {torch.__version__}, "
        f"transformers {transformers.__version__}, {torch.get_num_threads()} thread"
    )


def _best_seconds(runs: dict[str, Callable[[], None]], repeats: int) -> dict[str, float]:
    best = dict.fromkeys(runs, float("inf"))
    for turn in range(repeats + 1):  # the first one warms up
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if turn:
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def _table(figures: dict[str, Any]) -> str:
    lines = [
        figures["machine"],
        f"{figures['parameters'] / 1e6:.2f} M parameters, prompt {PROMPT}, {NEW} new tokens; tokens/s, best of repeats",
        "",
        "| batch | prompts | transformers.generate | engine, nothing shared | ratio | engine | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in figures["rows"]:
        speed = row["tokens_per_s"]
        apart, shared, library = speed["engine, nothing shared"], speed["engine"], speed.get("transformers")
        ratios = ("-", "-") if library is None else (f"{apart / library:.2f}", f"{shared / library:.2f}")
        named = "-" if library is None else f"{library:.0f}"
        lines.append(
            f"| {row['batch']} | {row['prompts']} | {named} | {apart:.0f} | {ratios[0]} | {shared:.0f} | {ratios[1]} |"
        )
    lines += ["", f"log-probabilities against a plain forward: within {figures['disagreement']:.1e}"]
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each cell; the best counts")
    options = parser.parse_args()
    torch.set_num_threads(1)
    figures = measure(options.repeats)
    print(_table(figures))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
