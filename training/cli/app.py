"""The entry point of ``ludus``: reads the verb, loads its module and no other, and turns errors into exit codes.

Exit codes: 0 done, 1 the run or a check failed, 2 the input was wrong, 130 interrupted. Faults of our own code keep
their traceback.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from training.cli.installation import shadowed


def main() -> None:
    """Runs the command line on the process's arguments."""
    problem = shadowed()
    if problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(2)
    application(sys.argv[1:])(sys.argv[1:], prog_name="ludus")


def application(arguments: Sequence[str]) -> typer.Typer:
    """Returns the command line in which the verb that ``arguments`` name is loaded and all others are listed only."""
    from training.cli.verbs import VERBS

    wanted = next((word for word in arguments if not word.startswith("-")), "")
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(_top)
    for name, verb in VERBS.items():
        command = guarded(verb.load()) if name == wanted else _listed
        settings = {"allow_extra_args": True, "ignore_unknown_options": True} if verb.passthrough else {}
        help_text = None if name == wanted else verb.summary
        app.command(name, help=help_text, context_settings=settings)(command)
    return app


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the command with errors that Ludus raises on purpose turned into a message and an exit code."""

    @functools.wraps(command)
    def run(*arguments: object, **options: object) -> object:
        from arena.errors import LudusError  # after the check of the packages' places

        try:
            return command(*arguments, **options)
        except LudusError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(exit_code(error)) from error
        except ModuleNotFoundError as error:
            typer.echo(_missing_module(error), err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as error:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from error

    return run


def exit_code(error: Exception) -> int:
    """Returns 2 for wrong input, 1 for everything that failed after work had begun."""
    from arena.errors import InputError

    return 2 if isinstance(error, InputError) else 1


def _missing_module(error: ModuleNotFoundError) -> str:
    """Returns the message for a module of an extra; a missing module of any other kind is a fault of ours."""
    from training.cli.extras import extra_of, pip_command

    extra = extra_of(error.name or "")
    if not extra:
        raise error
    return f"ludus: expected the extra [{extra}], got no module {error.name}; {pip_command(extra)}"


def _listed() -> None:
    """Stands in the listing for a verb that this call does not name; never called."""


def _version(asked: bool) -> None:
    if asked:
        from training.cli.installation import version

        typer.echo(f"ludus {version()}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Multi-agent self-play and co-evolution for language-model agents."""
