"""Secrets are masked in streams and in JSON, however the stream is cut; what is no secret is left alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.driver.redact import MAX_LINE, Redactor

AWS = "AKIA" + "ABCDEFGH12345678"
GITHUB = "ghp_" + "a1B2" * 9
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----"
SECRETS = ("hunter2!", 'quo"ted', "line-one\nline-two\n", "naïve")


def masked(text: str, *secrets: str) -> str:
    return Redactor(secrets).text(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"id {AWS}.", "id ***."),
        (f"x{AWS}", f"x{AWS}"),
        (f"clone with {GITHUB}", "clone with ***"),
        ("github_pat_" + "x" * 30, "***"),
        ("glpat-" + "x" * 20, "***"),
        ("xoxb-123456789012-abc", "***"),
        ("sk-" + "a1" * 12, "***"),
        ("task-aaaaaaaaaaaaaaaaaaaaaaaa", "task-aaaaaaaaaaaaaaaaaaaaaaaa"),
        ("Authorization: Bearer abcdefghijklmnop.qr==", "Authorization: Bearer ***"),
        ("a bearer of good news", "a bearer of good news"),
        ("https://joe:s3cret@host/x", "https://***@host/x"),
        ("https://host:80/a@b", "https://host:80/a@b"),
        (f"before\n{KEY}\nafter", "before\n***\nafter"),
        ("password=hunter2; x", "password=***; x"),
        ("DB_PASSWORD=hunter2", "DB_PASSWORD=***"),
        ('{"api_key": "abcdef"}', '{"api_key": "***"}'),
        ("password: must be a text", "password: must be a text"),
        ("PWD=/home/me", "PWD=/home/me"),
        ("tokens=5", "tokens=5"),
        ("nothing at all", "nothing at all"),
    ],
)
def test_what_looks_like_a_secret_is_masked_and_nothing_else(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_named_secrets_are_masked_also_as_they_stand_in_json() -> None:
    text = json.dumps({"a": SECRETS[1], "b": SECRETS[3]}) + " hunter2! line-two"
    assert masked(text, *SECRETS) == '{"a": "***", "b": "***"} *** ***'
    assert masked("x naïve y", *SECRETS) == "x *** y"


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    assert masked("abcdef", "abcd", "abcdef") == "***"


def test_secrets_come_from_the_environment_by_name_and_short_ones_are_told() -> None:
    redactor = Redactor.of(["TOKEN", "PIN", "UNSET"], {"TOKEN": "very-secret", "PIN": "123", "OTHER": "visible"})
    assert redactor.text("very-secret 123 visible") == "*** 123 visible"
    assert redactor.too_short == ("PIN",)


def test_json_is_masked_in_texts_keys_and_below_telling_keys() -> None:
    value = {"out": ["hunter2!", 1, None, {"hunter2!": True}], "db_password": "x", "password": 3, "n": (1, 2)}
    shown = {"out": ["***", 1, None, {"***": True}], "db_password": "***", "password": 3, "n": [1, 2]}
    assert Redactor(["hunter2!"]).value(value) == shown
    assert Redactor().value("plain") == "plain"


def test_deep_json_is_masked_without_recursion() -> None:
    value: object = "hunter2!"
    for _ in range(5_000):
        value = [value]
    found = Redactor(["hunter2!"]).value(value)
    while isinstance(found, list):
        (found,) = found
    assert found == "***"


def streamed(data: bytes, cuts: list[int], redactor: Redactor) -> bytes:
    stream, out, at = redactor.stream(), b"", 0
    for cut in sorted({c % (len(data) + 1) for c in cuts}):
        out += stream.feed(data[at:cut])
        at = cut
    return out + stream.feed(data[at:]) + stream.flush()


PIECES = st.sampled_from([*SECRETS, AWS, GITHUB, KEY, "password=hunter3", "\n", "some words", " ", "x" * 50, "a=b\n"])


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.lists(PIECES, max_size=8).map("".join), st.lists(st.integers(0, 10_000), max_size=8))
def test_however_a_stream_is_cut_it_is_masked_as_a_whole(text: str, cuts: list[int]) -> None:
    redactor = Redactor(SECRETS)
    data = text.encode()
    assert streamed(data, cuts, redactor) == redactor.data(data)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 60), st.integers(1, 500))
def test_a_secret_in_a_line_without_end_is_masked_wherever_it_is_cut(shift: int, size: int) -> None:
    redactor = Redactor(["hunter2!"])
    line = b"y" * (MAX_LINE + shift * 100) + b"hunter2!" + b"z" * MAX_LINE + b"hunter2!"
    out = streamed(line, [k * (size + 1_000) for k in range(1, 60)], redactor)
    assert out == redactor.data(line)


@pytest.mark.parametrize("secret", ["hunter2!", GITHUB, "password=" + "x" * 900])
def test_no_beginning_of_a_secret_is_let_go_from_a_line_without_end(secret: str) -> None:
    redactor = Redactor(["hunter2!"])
    for k in range(1, len(secret), 1 + len(secret) // 20):
        stream = redactor.stream()
        out = stream.feed(b" " * (MAX_LINE + 1) + secret[:k].encode())
        out += stream.feed(secret[k:].encode() + b" " * MAX_LINE) + stream.flush()
        assert out.strip() == redactor.data(secret.encode())


def test_a_private_key_that_never_ends_never_shows() -> None:
    stream = Redactor().stream()
    out = stream.feed(b"log\n-----BEGIN PRIVATE KEY-----\n") + stream.feed(b"secret\n" * 30_000)
    assert out + stream.flush() == b"log\n***"


def test_a_line_is_let_go_once_it_is_whole() -> None:
    stream = Redactor().stream()
    assert stream.feed(b"first\nsec") == b"first\n"
    assert stream.feed(b"ond\n") == b"second\n"
    assert stream.feed(b"x" * (MAX_LINE + 1)) != b""
