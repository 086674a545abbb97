"""One JSON document for programs, tables for people, and no markup in what others wrote."""

import json

from training.cli.printing import show, table


def test_json_is_one_document(capsys):
    show({"name": "Zürich"}, True, ["for people"])
    assert json.loads(capsys.readouterr().out) == {"name": "Zürich"}


def test_people_get_the_table(capsys):
    show([], False, [table(("name", "n"), [("[red]kuhn[/red]", 3)], right=("n",)), "done"])
    out = capsys.readouterr().out
    assert "[red]kuhn[/red]" in out
    assert "\x1b" not in out
    assert out.rstrip().endswith("done")
