"""python -m pytest apps/trainer/tests/grpo/test_prompt.py: the words in which a model of prose is asked."""

import json
from typing import Any

import pytest

from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.prompt import ACCOUNT, ENDINGS, policy_prompt
from sightline_trainer.grpo.settings import Settings
from tests.grpo.attempts import ROOT

PROSE = Settings(model="lab/model")


class Chat:
    """A tokenizer, as far as a prompt needs one: its chat shows the turns."""

    def __init__(self, chat_template: str | None) -> None:
        self.chat_template = chat_template

    def apply_chat_template(self, turns: list[dict[str, str]], **_: Any) -> str:
        return json.dumps([[turn["role"], turn["content"]] for turn in turns])


def question(kind: Any = "choice") -> Question:
    return Question("q", "heading", "the account", "where?", ("left", "right"), "A", kind)


def test_they_are_those_of_a_model_behind_an_endpoint():
    theirs = (ROOT / "packages/core/src/ask/prompt.ts").read_text()
    for words in (ACCOUNT, *ENDINGS.values()):
        assert f'"{words}"' in theirs


@pytest.mark.parametrize(("kind", "words"), [("choice", "the letter of one option"), ("number", "one number")])
def test_a_number_is_asked_for_as_a_number(kind: str, words: str):
    chat: Any = Chat("theirs")
    [system, user] = json.loads(policy_prompt(question(kind), chat, PROSE))
    assert system == ["system", f"{ACCOUNT} {ENDINGS[kind]}"] and words in system[1]
    assert user == ["user", "the account"]


def test_a_model_without_a_chat_is_told_the_same():
    plain: Any = Chat(None)
    assert policy_prompt(question(), plain, PROSE) == f"{ACCOUNT} {ENDINGS['choice']}\n\nthe account\n\n"
