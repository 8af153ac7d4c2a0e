"""A judge behind an OpenAI-compatible URL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import httpx

from sightline_trainer.grpo.judge import Answers, Inquiry, Status, Verdict, ask_once, judge_text
from sightline_trainer.rewards.letter import Options, read_letter

JUDGE_KEY = "SIGHTLINE_JUDGE_KEY"
"""Environment variable with the key of the judge's URL."""
MAX_TOKENS = 16
MAX_ANSWER_BYTES = 1_000_000


class RemoteJudge:
    """Asks for a whole generation at once, so many calls side by side, each timed out and tried again.

    A call that fails `tries` times has the status of its last try and no letter.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        at_once: int = 16,
        timeout_secs: float = 30.0,
        tries: int = 3,
        pause_secs: float = 1.0,
    ) -> None:
        """base_url: ends before `/chat/completions`. key: sent as a bearer token, nowhere else."""
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model = model
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        self._at_once = at_once
        self._timeout_secs = timeout_secs
        self._tries = tries
        self._pause_secs = pause_secs
        self._known: Answers = {}

    def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
        return ask_once(self._known, items, lambda new: asyncio.run(self._ask_new(new)))

    async def _ask_new(self, items: list[Inquiry]) -> Answers:
        gate = asyncio.Semaphore(self._at_once)
        limits = httpx.Limits(max_connections=self._at_once)
        async with httpx.AsyncClient(headers=self._headers, limits=limits, timeout=self._timeout_secs) as client:

            async def ask_one(item: Inquiry) -> Verdict:
                async with gate:
                    return await self._ask_one(client, item)

            return dict(zip(items, await asyncio.gather(*map(ask_one, items)), strict=True))

    async def _ask_one(self, client: httpx.AsyncClient, item: Inquiry) -> Verdict:
        began = time.monotonic()
        letter, status = None, "http_error"
        for attempt in range(self._tries):
            if attempt > 0:
                await asyncio.sleep(self._pause_secs * 2 ** (attempt - 1))
            letter, status = await self._try_one(client, item)
            if status == "ok":
                break
        return Verdict(letter, 1000 * (time.monotonic() - began), cached=False, status=status)

    async def _try_one(self, client: httpx.AsyncClient, item: Inquiry) -> tuple[str | None, Status]:
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": judge_text(item.question, item.think)}],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
        }
        try:
            # httpx limits each wait for bytes; a server that drips would never be cut.
            response = await asyncio.wait_for(client.post(self._url, json=body), self._timeout_secs)
            response.raise_for_status()
            if len(response.content) > MAX_ANSWER_BYTES:
                return None, "unparsed"
            text = response.json()["choices"][0]["message"]["content"]
        except (asyncio.TimeoutError, httpx.TimeoutException):
            return None, "timeout"
        except (httpx.HTTPError, httpx.InvalidURL):
            return None, "http_error"
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            return None, "unparsed"
        letter = read_letter(str(text), Options(item.options), is_tagged=True).letter
        return letter, "unparsed" if letter is None else "ok"
