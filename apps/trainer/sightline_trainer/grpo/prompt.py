"""What the policy reads of a question's prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline_trainer.grpo.tiny import space_tags

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from sightline_trainer.grpo.settings import Settings

SYSTEM = (
    "Think first, then answer. Write your reasoning inside <think> </think> and the final answer, one option letter, "
    "inside <answer> </answer>. The answer must follow from the reasoning."
)


def policy_prompt(prompt: str, tokenizer: PreTrainedTokenizerBase, settings: Settings) -> str:
    """The text that is completed: words apart for the policies made here, else a turn of the tokenizer's own chat."""
    if settings.is_word_level:
        return space_tags(prompt)
    if not tokenizer.chat_template:
        return prompt
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
