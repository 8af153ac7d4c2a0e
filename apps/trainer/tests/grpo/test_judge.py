"""The judge: its variants, what it may not see, and what becomes of a judge that does not answer."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sightline_trainer.checkpoints import checkpoint_dir, is_complete
from sightline_trainer.grpo.data import Question
from sightline_trainer.grpo.judge import Inquiry, Verdict
from sightline_trainer.grpo.judge_variants import VARIANTS, read_variants, strip_conclusion
from sightline_trainer.grpo.record import count_values, wire_row
from sightline_trainer.grpo.remote_judge import RemoteJudge
from sightline_trainer.grpo.scorer import JUDGE_FAILED, NOT_SAMPLED, Scorer
from sightline_trainer.grpo.trainer import weigh
from sightline_trainer.rewards.letter import Options
from tests.grpo.attempts import make_run, of_type, read_lines, start

OPTIONS = ("north", "east", "south", "west")
QUESTION = Question("q1", "heading", "start north …", "Where do you face?", OPTIONS, "B")


class Scripted:
    """A judge that says what its script holds for a reasoning, and remembers what it was asked."""

    def __init__(self, says: dict[str, str | Verdict]) -> None:
        self.says = says
        self.asked: list[Inquiry] = []

    def ask(self, items: Sequence[Inquiry]) -> list[Verdict]:
        self.asked += items
        said = [self.says[item.think] for item in items]
        return [one if isinstance(one, Verdict) else Verdict(one, 1.0, cached=False) for one in said]


FAILED = Verdict(None, 1.0, cached=False, status="timeout")


def completion(think: str, letter: str) -> str:
    return f"<think>{think}</think><answer>{letter}</answer>"


def score(judge: Scripted, texts: list[str], *, group_size: int | None = None, variants=("paper",), weighted=True):
    scorer = Scorer({"q1": QUESTION}, "sightline", judge, 8, variants)
    size = group_size or len(texts)
    return scorer.score(["q1"] * len(texts), texts, group_size=size, first_group=1, is_consistency_weighted=weighted)


def test_paper_asks_only_of_right_answers():
    judge = Scripted({"turns right": "B", "turns left": "D"})
    rows = score(judge, [completion("turns right", "B"), completion("turns left", "B"), completion("lost", "C")]).rows
    assert [row.raw["consistency"] for row in rows] == [1.0, 0.0, 0.0]
    assert [row.judgements[0].status for row in rows] == ["ok", "ok", "skipped_wrong_answer"]
    assert [item.think for item in judge.asked] == ["turns right", "turns left"]


def test_unconditional_pays_agreement_on_a_wrong_answer_too():
    judge = Scripted({"turns left": "D", "turns right": "B"})
    rows = score(
        judge,
        [completion("turns left", "D"), completion("turns right", "D"), completion("turns right", "?")],
        variants=("unconditional",),
    ).rows
    assert [row.raw["consistency"] for row in rows] == [1.0, 0.0, 0.0]


def test_letter_stripped_hides_the_stated_conclusion_from_the_judge():
    judge = Scripted({"turns right": "B"})
    text = completion("turns right so the answer is B.", "B")
    rows = score(judge, [text, completion("The answer is B.", "B")], variants=("letter_stripped",)).rows
    assert [item.think for item in judge.asked] == ["turns right"]
    assert [row.raw["consistency"] for row in rows] == [1.0, 0.0]
    assert rows[1].judgements[0].status == "no_think"


def test_the_first_variant_pays_and_all_are_told():
    judge = Scripted({"turns left so east": "B", "turns left": "D"})
    rows = score(judge, [completion("turns left so east", "B")], variants=VARIANTS).rows
    assert rows[0].raw["consistency"] == 1.0
    line = wire_row(
        rows[0],
        {"format": 0.1, "accuracy": 0.7, "consistency": 0.2},
        reward=1.0,
        advantage=0.0,
        tokens=9,
        is_finished=True,
    )
    told = [(said["variant"], said["letter"], said["agrees"]) for said in line["judges"]]
    assert told == [("paper", "B", True), ("unconditional", "B", True), ("letter_stripped", "D", False)]


def test_a_failure_is_null_for_its_whole_group_and_for_no_other():
    judge = Scripted({"fine": "B", "lost": FAILED})
    texts = [completion(think, "B") for think in ("fine", "lost", "fine", "fine")]
    generation = score(judge, texts, group_size=2)
    assert [row.raw["consistency"] for row in generation.rows] == [None, None, 1.0, 1.0]
    assert [row.null_reason["consistency"] for row in generation.rows] == [JUDGE_FAILED, JUDGE_FAILED, None, None]
    assert generation.judge_failed == 1
    values = count_values(generation.rows)
    assert (values["consistency/judged"], values["consistency/agree"], values["consistency/failed"]) == (3, 3, 1)


def test_what_was_not_scored_leaves_a_reward_that_is_a_number():
    """The wire has no null there: the format is always scored, and a part that is null counts nothing."""
    unreadable = Question("q1", "heading", "start north …", "Where do you face?", OPTIONS, None)
    scorer = Scorer({"q1": unreadable}, "sightline", Scripted({"lost": FAILED}), 8, ("unconditional",))
    texts = [completion("lost", "B"), ""]
    rows = scorer.score(["q1"] * 2, texts, group_size=2, first_group=1, is_consistency_weighted=True).rows
    weights = {"format": 0.1, "accuracy": 0.7, "consistency": 0.2}
    assert [(row.raw["accuracy"], row.raw["consistency"]) for row in rows] == [(None, None)] * 2
    assert [weigh(row, weights) for row in rows] == [0.1, 0.0]


def test_a_failure_of_a_variant_that_does_not_pay_takes_nothing_away():
    judge = Scripted({"turns right so east": "B", "turns right": FAILED})
    texts = [completion("turns right so east", "B")]
    generation = score(judge, texts, variants=("paper", "letter_stripped"))
    assert generation.rows[0].raw["consistency"] == 1.0
    assert generation.judge_failed == 1


def test_without_weight_one_group_in_eight_is_judged():
    judge = Scripted({"fine": "B"})
    generation = score(judge, [completion("fine", "B")] * 16, group_size=1, weighted=False)
    judged = [index + 1 for index, row in enumerate(generation.rows) if row.judgements]
    assert judged == [8, 16]
    assert {row.null_reason["consistency"] for row in generation.rows if not row.judgements} == {NOT_SAMPLED}


@pytest.mark.parametrize(
    ("think", "left"),
    [
        ("I turn left, then right. So the answer is B.", "I turn left, then right."),
        ("I turn left, then right, therefore east", "I turn left, then right,"),
        ("left west right north so north", "left west right north"),
        ("It moves on.\nB. east", "It moves on."),
        ("It moves on. The correct option is (C) south. Then it stops.", "It moves on.  Then it stops."),
        ("Option B would need a right turn, so no.", "Option B would need a right turn, so no."),
        ("B would need a right turn, and there is none.", "B would need a right turn, and there is none."),
        ("A door is passed, so I turn.", "A door is passed, so I turn."),
        ("So A door is passed.", "So A door is passed."),
        ("", ""),
        ("因此答案是B。", ""),
    ],
)
def test_what_is_taken_out_of_a_reasoning(think: str, left: str):
    assert strip_conclusion(think, Options(4, OPTIONS)) == left


def test_stripping_long_text_takes_no_long_time():
    began = time.process_time()
    strip_conclusion("so " * 30_000 + "A" * 30_000, Options(4, OPTIONS))
    assert time.process_time() - began < 5, "it is no longer about linear"


def test_variants_are_named_once_each():
    assert read_variants("paper, letter_stripped") == ("paper", "letter_stripped")
    for wrong in ("", "papers", "paper,paper"):
        with pytest.raises(ValueError, match="variant"):
            read_variants(wrong)


@contextmanager
def server(answer) -> Iterator[tuple[str, list[dict]]]:
    """An OpenAI-compatible server; `answer(request)` gives status and text, or sleeps."""
    seen: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append({"path": self.path, "key": self.headers.get("authorization"), **body})
            status, text = answer(body)
            payload = text if status != 200 else json.dumps({"choices": [{"message": {"content": text}}]})
            try:
                self.send_response(status)
                if status == 302:
                    self.send_header("location", "/elsewhere")
                self.end_headers()
                self.wfile.write(payload.encode())
            except BrokenPipeError:
                return

        def log_message(self, format: str, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as host:
        threading.Thread(target=host.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{host.server_address[1]}/v1", seen
        finally:
            host.shutdown()


ITEMS = [Inquiry("Where?", f"chain {index}", 4) for index in range(24)]


def test_a_url_is_asked_side_by_side_and_once_for_equal_items():
    under_way, most = 0, 0
    lock = threading.Lock()

    def answer(body):
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.2)
        with lock:
            under_way -= 1
        return 200, f"The answer is {'ABCD'[int(body['messages'][0]['content'].split('chain ')[1].split()[0]) % 4]}."

    with server(answer) as (url, seen):
        judge = RemoteJudge(url, "reference", key="sk-judge", at_once=12)
        verdicts = judge.ask([*ITEMS, ITEMS[0]])
        assert 1 < most <= 12, "one call after the other"
        assert [verdict.letter for verdict in verdicts[:5]] == list("ABCDA")
        assert verdicts[-1].cached and verdicts[-1].letter == "A"
        assert len(seen) == 24
        assert {call["key"] for call in seen} == {"Bearer sk-judge"}
        assert {(call["path"], call["temperature"]) for call in seen} == {("/v1/chat/completions", 0)}
        assert all(verdict.cached for verdict in judge.ask(ITEMS)) and len(seen) == 24


@pytest.mark.parametrize(
    ("says", "status"),
    [
        ((500, "no"), "http_error"),
        ((302, ""), "http_error"),
        ((200, "I can't tell."), "unparsed"),
        ((200, "Z"), "unparsed"),
        ((201, "<html>Sign in</html>"), "unparsed"),
        ((201, "[" * 100_000), "unparsed"),
        ((401, "no"), "http_error"),
    ],
)
def test_what_a_url_can_do_wrong_is_a_status(says, status):
    with server(lambda body: says) as (url, seen):
        judge = RemoteJudge(url, "reference", tries=2, pause_secs=0.01)
        verdict = judge.ask(ITEMS[:1])[0]
        assert (verdict.letter, verdict.status) == (None, status)
        assert [call["path"] for call in seen] == ["/v1/chat/completions"] * 2
        assert not judge.ask(ITEMS[:1])[0].cached, "a failure is not remembered"


def test_a_url_that_hangs_is_given_up():
    given_up = threading.Event()
    with server(lambda body: (200, "A") if given_up.wait(60) else (500, "")) as (url, _):
        judge = RemoteJudge(url, "reference", tries=2, timeout_secs=0.3, pause_secs=0.01)
        began = time.monotonic()
        assert [verdict.status for verdict in judge.ask(ITEMS[:2])] == ["timeout", "timeout"]
        assert time.monotonic() - began < 30
        given_up.set()


def test_nobody_at_the_url_is_an_error_and_no_exception():
    judge = RemoteJudge("http://127.0.0.1:9/v1", "reference", tries=1)
    assert judge.ask(ITEMS[:1])[0].status == "http_error"


def test_a_url_that_recovers_is_asked_again():
    answers = iter([(503, "busy"), (200, "C")])
    with server(lambda body: next(answers)) as (url, _):
        judge = RemoteJudge(url, "reference", pause_secs=0.01)
        assert judge.ask(ITEMS[:1])[0].letter == "C"


def test_a_run_whose_judge_is_gone_saves_and_ends_with_69(tmp_path):
    run = make_run(
        tmp_path,
        "deaf",
        judge_url="http://127.0.0.1:9/v1",
        judge_model="reference",
        judge_variants="unconditional",
        judge_every_groups=1,
    )
    assert start(run, 1).wait(timeout=900) == 69, run.attempt(1).log.read_text()[-3000:]
    events = read_lines(run, 1)
    end = events[-1]
    assert (end["type"], end["reason"], end["step"]) == ("attempt.end", "failed", 5)
    assert is_complete(checkpoint_dir(run, 5))
    error = of_type(events, "error")[0]
    assert (error["code"], error["retryable"]) == ("judge_unavailable", True)
    assert all(line["judge"]["failed"] == line["judge"]["calls"] > 0 for line in of_type(events, "generation"))
    told = [line for line in read_lines(run, 1, "completions") if line["step"] > 0 and line["judges"][0]["letter"]]
    assert told == []
    failed = {
        line["group_id"]
        for line in read_lines(run, 1, "completions")
        if line["step"] > 0 and line["judges"][0]["status"] == "http_error"
    }
    assert failed
    for line in read_lines(run, 1, "completions"):
        if line["group_id"] in failed:
            assert line["rewards"]["consistency"]["raw"] is None, "a judge that is gone is no zero"
