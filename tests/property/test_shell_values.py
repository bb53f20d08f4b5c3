"""Values in shell commands arrive byte for byte wherever they are accepted, in every shell there is here.

What is accepted is told by running it: a text with a value is compared with the same text with a harmless one.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from petri_cli.driver.substitution import VARIABLE, shell_text
from petri_cli.errors import PetriError

SHELLS = [s for s in (["/bin/sh"], ["dash"], ["bash"], ["bash", "--posix"]) if shutil.which(s[0])]
HARMLESS = "qQq"
HOSTILE = (
    "x;$(: >PWNED)`: >PWNED`\n'\n: >PWNED\n'\"\n: >PWNED\n\" | * ~ ? [a] {a,b}"
    " \\ \\\\ $HOME ${HOME} $1 $((1)) #c & >f <f (x) E\nE\n\tE\nend",
    "'; : >PWNED; '",
    '"; : >PWNED; "',
    "$(: >PWNED)",
    "a[$(: >PWNED)]",
    "E",
    "  two  blanks  ",
    "*",
    "\\",
    "-n",
    "ä€😀\x01\x7f\t",
)
VALUES = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.sampled_from("ab \t\n'\"`\\$(){}[]*?~#;&|<>!=-%^:,E\r"), max_size=12),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
)


def run(shell: Sequence[str], text: str, folder: Path, **values: str) -> tuple[bytes, bytes]:
    """Standard output and standard error of ``text`` with its values put in."""
    script, variables = shell_text(text, ("a", "b"), lambda r: values[r.head])
    assert "".join(values.values()) not in script or len("".join(values.values())) < 8
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "ENV": "", **variables}
    done = subprocess.run(
        [*shell, "-c", script], env=environment, capture_output=True, cwd=folder, check=False, timeout=20
    )
    return done.stdout, done.stderr


def accepted(text: str) -> bool:
    try:
        shell_text(text, ("a", "b"), lambda _: "0")
    except PetriError as error:
        assert error.code == "PETRI_BAD_SUBSTITUTION"
        return False
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


def whole(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


# Each of these prints ``${a}`` and nothing else, but for newlines at its end, which a command substitution takes away.

PRINTS = {
    "a word": "printf %s ${a}",
    "double quotes": 'printf %s "${a}"',
    "single quotes": "printf %s '${a}'",
    "an assignment": 'x=${a}; printf %s "$x"',
    "an assignment in quotes": 'x="${a}" y=1; printf %s "$x"',
    "a word behind a comment": "# don't\nprintf %s ${a} # it's",
    "a here-document": "cat <<E\n${a}\nE",
    "a here-document that is indented": "cat <<-E\n\t${a}\n\tE",
    "a here-document behind another": "cat <<E - <<F >/dev/null\nit's\nE\nit's\nF\nprintf %s '${a}'",
    "two here-documents": "cat <<'E' >/dev/null; cat <<F\n\"'`$(\nE\n${a}\nF\n",
    "a here-document with quotes": "cat <<E | tail -n +2\nit's \"`echo`\"\n${a}\nE",
    "a command in a here-document": "cat <<E\n$(printf %s ${a})\nE",
    "a quoted command in a here-document": "cat <<E\n$(printf %s \"${a}\" '')\nE",
    "backticks in a here-document": "cat <<E\n`printf %s ${a}`\nE",
    "a default in a here-document": "cat <<E\n${nothing-${a}}\nE",
    "a here-document in a command": 'printf %s "$(cat <<E\n${a}\nE\n)"',
    "a default": "printf %s ${nothing:-${a}}",
    "a default in quotes": 'printf %s "${nothing:-${a}}"',
    "a default within quotes within braces": 'printf %s ${nothing:-"${a}"}',
    "a default within single quotes": "printf %s ${nothing:-'${a}'}",
    "another value": 'x=1; printf %s "${x:+${a}}"',
    "what is assigned": 'printf %s "${nothing:=${a}}"',
    "a prefix that is cut off": 'x=\'${a}\'rest; y="${x#${a}}"; test "$y" = rest && printf %s "${x%rest}"',
    "a suffix that is cut off": "x=rest${a}; y=${x%${a}}; test \"$y\" = rest && printf %s \"${x#rest}\"",
    "a pattern": "case ${a} in ${a}) printf %s ${a};; *) echo no;; esac",
    "a pattern among others": "case ${a} in a-b | '${a}' ) printf %s ${a} ;; esac",
    "a case in a command": 'printf %s "$(case x in (y) ;; x) printf %s ${a};; esac)"',
    "a case in backticks": 'printf %s "`case x in x) printf %s ${a};; esac`"',
    "a loop": "for x in ${a}; do printf %s \"$x\"; done",
    "a function": "f() { printf %s \"$1\"; }; f ${a}",
    "a function in a subshell": "(f() (printf %s ${a}); f)",
    "a redirection": "printf %s ${a} >out; cat out",
    "a pipe": "printf %s ${a} | cat",
    "a continued line": "printf \\\n%s \\\n${a}",
    "a condition": "if test x = ${a}; then :; fi; [ \"${a}\" = x ] || :; printf %s ${a}",
    "a test": 'test "${a}" = ${a} && printf %s ${a}',
    "behind escapes": "printf %s \\' \\\" \\$ \\` \\\\ >/dev/null; printf %s ${a}",
    "behind escapes in quotes": "echo \"\\\"'\\$ \\` \\\\\" >/dev/null; printf %s ${a}",
    "behind parameters": 'set --; echo $# $$ $? "$@" ${#} ${#x} ${x} >/dev/null; printf %s ${a}',
    "behind arithmetic": "x=1; echo $((x<<2)) $(( (x + 1) * 2 )) >/dev/null; printf %s ${a}",
    "behind the plan's own signs": "echo '$${a.b}' >/dev/null; printf %s ${a}",
}  # fmt: skip


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@pytest.mark.parametrize("text", PRINTS.values(), ids=PRINTS.keys())
def test_a_value_arrives_byte_for_byte(shell: list[str], text: str, folder: Path) -> None:
    for value in HOSTILE:
        out, errors = run(shell, text, folder, a=value)
        assert out.rstrip(b"\n") == whole(value).rstrip(b"\n"), (text, errors)
        assert errors == b""
        assert not (folder / "PWNED").exists()


WRAPPED = st.sampled_from(
    [
        "@\nprintf '<%s>' ${a} \"${a}\" '${a}'",
        'printf "<%s>" "$(@)"',
        'printf "<%s>" "`printf x` $(@)"',
        "( @\n)",
        "{ @\n}",
        "if true; then @\nfi",
        "case x in y) ;; x) @\n;; esac",
        "while @\ndo break; done",
        "{ @\n} | cat",
        "f() { @\n}; f",
        "cat <<E\n$(@)\nE\n",
        "cat <<E; : x\nit's ${a}\nE\n",
        'printf "<%s>" ${nothing:-"$(@)"}',
        "# it's\n@",
        "# ` $(\n@",
        ": \\\n; @",
    ]
)
INNERMOST = st.sampled_from([text for text in PRINTS.values() if "\n" not in text])


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=120)
@given(st.lists(WRAPPED, max_size=4), INNERMOST, VALUES, st.sampled_from(SHELLS))
def test_however_deep_it_stands(folder: Path, wrapped: list[str], text: str, value: str, shell: list[str]) -> None:
    for around in wrapped:
        text = around.replace("@", text)
    value = value.strip("\n") or "x"
    assume(accepted(text))
    out, errors = run(shell, text, folder, a=value)
    harmless, said = run(shell, text, folder, a=HARMLESS)
    assert out == harmless.replace(HARMLESS.encode(), whole(value)), text
    assert errors == said.replace(HARMLESS.encode(), whole(value)) == b"", text


PIECES = st.sampled_from(
    [
        "'", '"', "`", "\\", "$(", ")", "(", "\n", "# ", " ", "p ", "${a}", "${a}", "${b}",
        "<<E\n", "<<-'E'\n", "\nE\n",
        "; ", "$((", "))", "${x:-", "${x#", "}", "case x in x) ", ";; esac", " x=", '; p "$x";', "$", "1 + ", "| cat",
        "&& ", "||", "[[ ", " ]]", "a[", "]=", "eval ", "{ ", "\t", "<<", "E", "if ", "then ", "fi;", "for x in ",
        "; do ", "; done", "esac", "#", "!", ">&2 ", "cat ", "\\\n", "$'",
        '"$(p ${a})"', "'${a}'", '"${a}"', "\"$(cat <<E\n'${a}\nE\n)\"", "$((1 + 1))", "\np ${b}\n", '"`p "${a}"`"',
        '"${x:-${a}}"', "${x:-'${a}'}", "case ${a} in ${a}) p;; esac\n", "<<E\n$(p ${a})\nE\n", "p '(' ${a}\n", "\np ",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=1_500)
@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(HOSTILE), st.sampled_from(SHELLS))
def test_in_no_text_whatever_is_a_value_more_than_a_value(
    folder: Path, text: str, value: str, shell: list[str]
) -> None:
    """What the shell makes of a text does not depend on the value in it: it is where a harmless one was."""
    text = "p() { printf '<%s>' \"$@\"; }\n" + text
    if not accepted(text):
        return
    numbers = "$((" in text
    value = "4217" if numbers else value
    harmless = "4216" if numbers else HARMLESS
    out, _ = run(shell, text, folder, a=value, b=value)
    assert VARIABLE.encode() not in out, text
    expected, said = run(shell, text, folder, a=harmless, b=harmless)
    assert not (folder / "PWNED").exists(), text
    if not numbers and b"syntax" not in said.lower():
        assert out == expected.replace(harmless.encode(), whole(value)), (text, shell)
