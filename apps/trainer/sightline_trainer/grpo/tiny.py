"""The tiny policy: a Qwen2 of under a million parameters that reads whole words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from sightline_trainer.grpo.data import Question

PAD, EOS, UNKNOWN = "<pad>", "<eos>", "<unk>"
TAGS = ("<think>", "</think>", "<answer>", "</answer>")
MAX_WORDS = 4096
_TAG = re.compile(r"(</?(?:think|answer)>)")


def space_tags(text: str) -> str:
    """White space around the tags, so that each is a word of its own."""
    return " ".join(_TAG.sub(r" \1 ", text).split())


def demonstration(chain: str, letter: str) -> str:
    """What the policy should write: chain, then letter, each in its tags."""
    return space_tags(f"<think>{chain}</think><answer>{letter}</answer>")


def build_tokenizer(questions: Sequence[Question]) -> PreTrainedTokenizerFast:
    """A word-level tokenizer of the words in prompts, questions and chains. Same questions, same ids."""
    texts: Iterable[str] = (
        text for item in questions for text in (item.prompt, item.question, item.chain or "") if text
    )
    words = {word for text in texts for word in space_tags(text).split()} - {*TAGS}
    letters = {"ABCDEFGH"[index] for item in questions for index in range(len(item.options))}
    vocabulary = [PAD, EOS, UNKNOWN, *TAGS, *sorted(words | letters)][:MAX_WORDS]
    model = WordLevel({word: index for index, word in enumerate(vocabulary)}, unk_token=UNKNOWN)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = WhitespaceSplit()  # pyright: ignore[reportAttributeAccessIssue]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=EOS,
        unk_token=UNKNOWN,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def token_id(tokenizer: PreTrainedTokenizerBase, token: str) -> int:
    """The id of one token of the vocabulary."""
    number = tokenizer.convert_tokens_to_ids(token)
    if not isinstance(number, int):
        raise TypeError(f"{token} is not one token")
    return number


def end_id(tokenizer: PreTrainedTokenizerBase) -> int:
    """The id that ends a completion. Raises TypeError for a tokenizer without one."""
    return token_id(tokenizer, str(tokenizer.eos_token))


def build_model(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    """A fresh policy with random weights from torch's generator: 3 layers, width 128, about 0.6 M parameters."""
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        pad_token_id=token_id(tokenizer, PAD),
        eos_token_id=token_id(tokenizer, EOS),
        bos_token_id=None,
    )
    return Qwen2ForCausalLM(config)
