"""Reading by byte offset: every byte once, whole lines only, at once when there are new ones."""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Host, Session, kill, spec, start_session, wait_for

from sightline_trainer.rundir import AttemptDir, RunDir, write_json
from sightline_trainer.slctl import host as host_facts
from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.read import read
from sightline_trainer.wire.encode import MAX_LINE_BYTES

NEVER = threading.Event()


@pytest.fixture
def attempt(tmp_path: Path) -> AttemptDir:
    """An attempt that is being written: named, with a lock that is looked at but not held."""
    directory = RunDir(tmp_path / "run").attempt(1)
    directory.path.mkdir(parents=True)
    return directory


def end(attempt: AttemptDir) -> None:
    write_json(attempt.exit, {"code": 0})


def cursor(stream: str = "events", **fields: Any) -> dict[str, Any]:
    return {"run_id": "run", "attempt": 1, "stream": stream, **fields}


def ask(root: Path, *cursors: dict[str, Any], **fields: Any) -> list[tuple[dict[str, Any], bytes]]:
    header, blob = read({"root": str(root), "cursors": list(cursors), **fields}, NEVER)
    return split(header["chunks"], blob)


def split(chunks: list[dict[str, Any]], blob: bytes) -> list[tuple[dict[str, Any], bytes]]:
    parts, position = [], 0
    for chunk in chunks:
        parts.append((chunk, blob[position : position + chunk["bytes"]]))
        position += chunk["bytes"]
    assert position == len(blob)
    return parts


def test_every_byte_offset_gives_the_rest_in_whole_lines(tmp_path: Path, attempt: AttemptDir) -> None:
    content = '{"a":1}\n{"b":"é→😀"}\n\n{"c":3}\n{"torn'.encode()
    attempt.events.write_bytes(content)
    whole = content.rindex(b"\n") + 1
    for offset in range(len(content) + 1):
        parts = ask(tmp_path, cursor(offset=offset))
        if offset < whole:
            ((chunk, data),) = parts
            assert data == content[offset:whole]
            assert chunk["offset"] == offset and chunk["next"]["offset"] == whole
            assert not chunk["torn"] and not chunk["ended"] and not chunk["more"]
        else:
            assert parts == []


def test_a_file_cut_at_every_byte_is_read_once(tmp_path: Path, attempt: AttemptDir) -> None:
    """B37: half a last line, half a character: nothing is lost, nothing comes twice."""
    content = '{"step":3}\n{"step":4,"x":"é→😀"}\n'.encode()
    for cut in range(len(content) + 1):
        attempt.events.write_bytes(content[:cut])
        first = ask(tmp_path, cursor())
        where = first[0][0]["next"] if first else cursor()
        attempt.events.open("ab").write(content[cut:])
        second = ask(tmp_path, where)
        assert b"".join(data for _, data in first + second) == content
        assert not any(chunk["reset"] for chunk, _ in first + second)


def test_what_a_dead_attempt_left_is_torn_and_comes_once(tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.events.write_bytes(b'{"a":1}\n{"b"')
    ((chunk, _),) = ask(tmp_path, cursor())
    assert not chunk["torn"] and not chunk["ended"]
    end(attempt)
    ((rest, data),) = ask(tmp_path, chunk["next"])
    assert data == b'{"b"' and rest["torn"] and rest["ended"]
    assert ask(tmp_path, rest["next"]) == []
    (first, _), (second, data) = ask(tmp_path, cursor())
    assert first["next"] == {**rest["next"], "offset": 8, "ended": False} and data == b'{"b"' and second["torn"]


def test_the_end_is_said_once_also_for_streams_that_never_were(tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.events.write_bytes(b"{}\n")
    end(attempt)
    parts = ask(tmp_path, cursor(), cursor("completions"), cursor("log"))
    assert [(chunk["stream"], chunk["ended"]) for chunk, _ in sorted(parts, key=lambda part: part[0]["stream"])] == [
        ("completions", True),
        ("events", True),
        ("log", True),
    ]
    began = time.monotonic()
    assert ask(tmp_path, *[chunk["next"] for chunk, _ in parts], wait_secs=0.3) == []
    assert time.monotonic() - began >= 0.3, "a reader that asks again must not spin"


def test_an_attempt_without_processes_has_ended(tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.events.write_bytes(b"{}\n{")
    attempt.lock.touch()
    write_json(attempt.id, {"pid": 1})
    assert [(data, chunk["torn"]) for chunk, data in ask(tmp_path, cursor())] == [(b"{}\n", False), (b"{", True)]


def test_a_replaced_or_shrunk_file_is_read_from_its_beginning(tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.events.write_bytes(b"{}\n{}\n")
    ((chunk, _),) = ask(tmp_path, cursor())
    attempt.events.write_bytes(b"[]\n")
    ((again, data),) = ask(tmp_path, chunk["next"])
    assert again["reset"] and data == b"[]\n" and again["offset"] == 0
    other = attempt.path / "other"
    other.write_bytes(b"{}\n{}\n{}\n")
    os.replace(other, attempt.events)
    ((moved, data),) = ask(tmp_path, again["next"])
    assert moved["reset"] and data == b"{}\n{}\n{}\n"
    os.truncate(attempt.events, 0)
    ((empty, data),) = ask(tmp_path, moved["next"])
    assert empty["reset"] and data == b"" and empty["next"]["offset"] == 0


def test_completions_go_on_over_segments(tmp_path: Path, attempt: AttemptDir) -> None:
    for segment in (1, 2, 3):
        attempt.completions(segment).write_bytes(f'{{"s":{segment}}}\n'.encode() * 3)
    parts = ask(tmp_path, cursor("completions"))
    assert [chunk["segment"] for chunk, _ in parts] == [1, 2, 3]
    assert b"".join(data for _, data in parts).count(b"\n") == 9
    where = parts[-1][0]["next"]
    assert where["segment"] == 3
    assert ask(tmp_path, where) == []
    attempt.completions(4).write_bytes(b'{"s":4}\n')
    ((chunk, data),) = ask(tmp_path, where)
    assert chunk["segment"] == 4 and chunk["offset"] == 0 and data == b'{"s":4}\n' and not chunk["reset"]
    end(attempt)
    parts = ask(tmp_path, cursor("completions"))
    assert [chunk["ended"] for chunk, _ in parts] == [False, False, False, True]


def test_a_long_history_comes_in_bounded_answers(tmp_path: Path, attempt: AttemptDir) -> None:
    line = b'{"x":"' + b"y" * 990 + b'"}\n'
    attempt.events.write_bytes(line * 9000)
    attempt.completions(1).write_bytes(line * 3000)
    end(attempt)
    cursors = {"events": cursor("events"), "completions": cursor("completions")}
    got = {"events": 0, "completions": 0}
    answers = 0
    while cursors:
        answers += 1
        parts = ask(tmp_path, *cursors.values(), max_bytes=2 * MAX_LINE_BYTES)
        assert sum(len(data) for _, data in parts) <= 2 * MAX_LINE_BYTES
        for chunk, data in parts:
            assert data.endswith(b"\n") and len(data) % len(line) == 0
            got[chunk["stream"]] += len(data)
            cursors[chunk["stream"]] = chunk["next"]
            if chunk["ended"]:
                assert not chunk["more"]
                del cursors[chunk["stream"]]
        assert answers < 30
    assert got == {"events": 9000 * len(line), "completions": 3000 * len(line)}


@pytest.mark.parametrize("length", [MAX_LINE_BYTES - 1, MAX_LINE_BYTES, 3 * MAX_LINE_BYTES, 20 * MAX_LINE_BYTES])
def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, attempt: AttemptDir, length: int) -> None:
    huge = b"x" * length + b"\n"
    attempt.events.write_bytes(b"{}\n" + huge + b"[]\n")
    pieces: list[tuple[dict[str, Any], bytes]] = []
    where = cursor()
    while parts := ask(tmp_path, where, max_bytes=MAX_LINE_BYTES):
        pieces += parts
        where = parts[-1][0]["next"]
    plain = b"".join(data for chunk, data in pieces if not chunk["oversized"])
    odd = [(chunk, data) for chunk, data in pieces if chunk["oversized"]]
    if len(huge) <= MAX_LINE_BYTES:
        assert plain == b"{}\n" + huge + b"[]\n" and odd == []
    else:
        assert plain == b"{}\n[]\n"
        ((chunk, data),) = odd
        assert chunk["line_bytes"] == len(huge) and data == b"x" * 4096 and chunk["offset"] == 3


def test_a_line_that_is_too_long_and_not_ended_waits(tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.events.write_bytes(b"{}\n" + b"x" * 3 * MAX_LINE_BYTES)
    ((chunk, _),) = ask(tmp_path, cursor())
    assert ask(tmp_path, chunk["next"]) == []
    end(attempt)
    ((rest, _),) = ask(tmp_path, chunk["next"])
    assert rest["oversized"] and rest["ended"] and rest["line_bytes"] == 3 * MAX_LINE_BYTES


def test_bytes_that_are_no_text_arrive_as_they_lie(here: Host, tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.events.write_bytes(b"\xff\xfe\x00\n")
    answer = here.ask("read", cursors=[cursor()])
    assert answer["blob"] == b"\xff\xfe\x00\n"


def test_the_log_is_raw(tmp_path: Path, attempt: AttemptDir) -> None:
    attempt.log.write_bytes(b"a\nno newline yet")
    ((chunk, data),) = ask(tmp_path, cursor("log"))
    assert data == b"a\nno newline yet" and chunk["next"]["offset"] == len(data)


def test_a_waiting_read_answers_within_a_moment(here: Host, tmp_path: Path, attempt: AttemptDir) -> None:
    """G1 rests on this: the median from the write to the answer is one poll at most, idle or with 20 runs."""
    for index in range(19):
        RunDir(tmp_path / f"other{index}").attempt(1).path.mkdir(parents=True)
    cursors = [cursor()] + [{"run_id": f"other{i}", "attempt": 1, "stream": "events"} for i in range(19)]
    delays, answers = [], []
    file = attempt.events.open("ab", buffering=0)
    for number in range(12):
        request = here.session.send("read", root=str(tmp_path), cursors=cursors, wait_secs=10)
        time.sleep(0.02 + 0.007 * number)
        began = time.monotonic()
        file.write(b'{"n":%d}\n' % number)
        header, blob = here.session.answer(request)
        delays.append(time.monotonic() - began)
        assert blob == b'{"n":%d}\n' % number
        cursors[0] = header["chunks"][0]["next"]
        # What any answer takes on a machine that is busy.
        began = time.monotonic()
        here.session.ask("read", root=str(tmp_path), cursors=cursors)
        answers.append(time.monotonic() - began)
    assert statistics.median(delays) < 0.15 + 4 * statistics.median(answers), (delays, answers)


def test_a_reader_of_a_live_run_gets_every_line_once(here: Host) -> None:
    faults = "torn_line@5:0.2 utf8_cut@9:0.2 bad_line@7 bad_utf8@8 huge_line@11 unknown_type@3"
    here.launch(spec(steps_per_sec=30, steps_per_epoch=10, segment_bytes=100_000, faults=faults))
    got = {"events": bytearray(), "completions": bytearray()}
    cursors = {stream: cursor(stream) for stream in got}
    odd = 0
    deadline = time.monotonic() + 120
    while cursors:
        assert time.monotonic() < deadline
        answer = here.ask("read", cursors=list(cursors.values()), wait_secs=5)
        for chunk, data in split(answer["chunks"], answer["blob"]):
            odd += chunk["oversized"]
            if not chunk["oversized"]:
                got[chunk["stream"]] += data
            cursors[chunk["stream"]] = chunk["next"]
            if chunk["ended"]:
                del cursors[chunk["stream"]]
    attempt = here.attempt()
    events = [line for line in attempt.events.read_bytes().splitlines(keepends=True) if len(line) <= MAX_LINE_BYTES]
    assert bytes(got["events"]) == b"".join(events) and odd == 1
    segments = sorted(attempt.path.glob("completions-*.jsonl"))
    assert len(segments) > 3
    assert bytes(got["completions"]) == b"".join(path.read_bytes() for path in segments)
    good = []
    for raw in bytes(got["events"]).split(b"\n")[:-1]:
        try:
            good.append(json.loads(raw)["seq"])
        except (ValueError, KeyError):
            continue
    assert good == list(range(1, good[-1] + 1))


def test_a_torn_end_of_a_killed_trainer_is_ended_by_the_supervisor(here: Host) -> None:
    here.launch(spec(faults="torn_kill@3"))
    here.finished()
    lines = here.attempt().events.read_bytes().split(b"\n")
    assert lines[-1] == b""
    bad = [raw for raw in lines[:-1] if not raw.endswith(b"}")]
    assert len(bad) == 1
    seqs = [line["seq"] for line in here.events()]
    assert seqs == list(range(1, len(seqs) + 1))
    assert here.events()[-1]["type"] == "attempt.end" and here.events()[-1]["exit_code"] == 137


def test_log_and_fetch(here: Host) -> None:
    here.launch(spec())
    here.finished()
    text = here.attempt().log.read_bytes()
    answer = here.ask("log", run_id="run", attempt=1, max_bytes=40)
    assert answer["blob"] == text[-40:] and answer["size"] == len(text) and not answer["more"]
    answer = here.ask("log", run_id="run", attempt=1, offset=10, max_bytes=30)
    assert answer["blob"] == text[10:40] and answer["more"]
    assert here.ask("log", run_id="run", attempt=1, offset=10**9)["blob"] == b""
    assert here.refusal("log", run_id="run", attempt=7)["code"] == "not_found"
    answer = here.ask("fetch", run_id="run", path="spec.json")
    assert answer["blob"] == here.run().spec.read_bytes()
    for path in ("../x", "/etc/passwd", "attempts/../../other", "a\0b", 5):
        assert here.refusal("fetch", run_id="run", path=path)["code"] in ("bad_request", "not_found")
    (here.run().path / "way-out").symlink_to("/etc")
    assert here.refusal("fetch", run_id="run", path="way-out/passwd")["code"] == "bad_request"
    assert here.refusal("fetch", run_id="run", path="data")["code"] == "not_found"


def test_questions_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    for bad in (None, {}, [5], [{"stream": "other"}], [cursor(offset=-1)], [cursor(offset="x")], [cursor(run_id="..")]):
        with pytest.raises(RequestError):
            read({"root": str(tmp_path), "cursors": bad}, NEVER)
    with pytest.raises(RequestError):
        read({"root": "relative", "cursors": []}, NEVER)


def test_a_session_that_is_killed_while_it_reads_loses_nothing(here: Host, tmp_path: Path) -> None:
    """The cursor lies with the reader: after a cut it asks for the same bytes again."""
    here.launch(spec(steps_per_sec=40, steps_per_epoch=20))
    where: dict[str, Any] = cursor()
    got = b""
    ended = False
    session: Session | None = None
    for turn in range(2000):
        if session is None:
            session = start_session()
        request = session.send("read", root=str(tmp_path), cursors=[where], wait_secs=5)
        if turn % 7 == 3:
            kill(session.process.pid)
            session.process.wait()
            session = None
            continue
        header, blob = session.answer(request)
        for chunk, data in split(header["chunks"], blob):
            got += data
            where = chunk["next"]
            ended = ended or chunk["ended"]
        if ended:
            break
    assert ended and got == here.attempt().events.read_bytes()
    if session is not None:
        kill(session.process.pid)
        session.process.wait()


def test_looking_does_not_disturb_the_lock(here: Host) -> None:
    """Readers and status try the lock all the time; a launch at the same moment must get it."""
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            for index in range(4):
                host_facts.is_lock_held(here.attempt(f"r{index}").lock)

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for looker in lookers:
        looker.start()
    try:
        for index in range(4):
            here.launch(spec(f"r{index}", max_steps=1))
        wait_for(lambda: all(here.attempt(f"r{i}").exit.exists() for i in range(4)))
    finally:
        stop.set()
        for looker in lookers:
            looker.join()
