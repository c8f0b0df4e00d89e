"""Fill the reference pages when the site is built: the command line from its own help, Python from docstrings.

A page holds an HTML comment where the reference goes, so that it reads well where nobody fills it. Formulas in TeX
become MathML, which browsers draw themselves: no script and no font is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import typer

from annealco.cli import app
from annealco.terminal import PROGRAM

COMMANDS = "<!-- commands -->"
NAMES = re.compile(r"<!-- names: ([\w. ]+) -->")
SUBSCRIPT = re.compile(
    r"((?<![A-Za-z0-9_`])(?:max|min|[A-Za-zα-ωΑ-Ωϕ])|[)\]])_(?:\{([^}]+)\}|([A-Za-z0-9α-ω]{1,3}(?![A-Za-z0-9_])|\+))"
)
FORMULA = re.compile(r'<(div|span) class="arithmatex">\\[\[(](.*?)\\[\])]</\1>', re.DOTALL)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Write the references into a page; mkdocs calls this for each."""
    if COMMANDS in markdown:
        markdown = markdown.replace(COMMANDS, command_reference())
    return NAMES.sub(lambda found: "\n\n".join(f"::: {name}" for name in found[1].split()), markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Turn the formulas of a page into MathML; mkdocs calls this for each."""
    # Only the site needs it.
    from latex2mathml.converter import convert

    def formula(found: re.Match[str]) -> str:
        tex = unescape(found[2]).strip()
        # A long formula scrolls by itself on a narrow screen.
        return f'<div class="formula">{convert(tex, display="block")}</div>' if found[1] == "div" else convert(tex)

    return with_subscripts(without_escapes(FORMULA.sub(formula, html)))


def without_escapes(html: str) -> str:
    r"""Take the backslash from bars in cells: GitHub needs it in code, this site would show it.

    Example:
        >>> without_escapes(r"<td><code>--data NAME\|PATH</code></td>")
        '<td><code>--data NAME|PATH</code></td>'
    """
    return re.sub(r"<td.*?</td>", lambda found: found[0].replace(r"\|", "|"), html, flags=re.DOTALL)


def with_subscripts(html: str) -> str:
    """Set x_i and Σ_{i<j} in the text of a page as subscripts; code and formulas stay as they are.

    Example:
        >>> with_subscripts("<p>φ_i and Σ_{i&lt;j}, <code>x_i</code>, rb_graph</p>")
        '<p>φ<sub>i</sub> and Σ<sub>i&lt;j</sub>, <code>x_i</code>, rb_graph</p>'
        >>> with_subscripts("<p>(Bφ)_i, d_i², 2Σφ_j, max_i and (V − D)_+</p>")
        '<p>(Bφ)<sub>i</sub>, d<sub>i</sub>², 2Σφ<sub>j</sub>, max<sub>i</sub> and (V − D)<sub>+</sub></p>'
    """
    parts, kept = re.split(r"(<[^>]+>)", html), 0
    for number, part in enumerate(parts):
        if found := re.match(r"<(/?)(?:code|pre|math|script|style)\b", part):
            kept += -1 if found[1] else 1
        elif not part.startswith("<") and not kept:
            parts[number] = SUBSCRIPT.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", part)
    return "".join(parts)


def command_reference() -> str:
    """Return a section for each command, with its arguments and options."""
    return "\n\n".join(_section(words, command) for words, command in commands())


def commands(words: tuple[str, ...] = (PROGRAM,), command: Any = None) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Go through all commands in the order of the help, those of groups after their group."""
    command = command or typer.main.get_command(app)
    yield words, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands((*words, name), each)


def _section(words: tuple[str, ...], command: Any) -> str:
    """Write a command: usage, what it does, a table of what it takes."""
    context = typer.Context(command, info_name=" ".join(words))
    usage = " ".join([*words, *command.collect_usage_pieces(context)])
    parts = [f"## {' '.join(words)}", f"```text\n{usage}\n```", command.help or ""]
    rows = [_row(*record) for each in command.get_params(context) if (record := each.get_help_record(context))]
    if rows:
        parts.append("\n".join(["| argument or option | meaning |", "|---|---|", *rows]))
    if subcommands := getattr(command, "commands", {}):
        listed = [f"* [`{' '.join([*words, name])}`](#{'-'.join([*words, name])})" for name in subcommands]
        parts.append("\n".join(listed))
    return "\n\n".join(part for part in parts if part)


def _row(names: str, text: str) -> str:
    """Write a line of the table; a bar would end its cell."""
    bar = r"\|"
    return f"| `{names.replace('|', bar)}` | {text.replace('|', bar)} |"
