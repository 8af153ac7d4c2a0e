"""Runs the released key-frame extractor, unmodified, beside ours.

usage: keyframes-released.py UTILS_PY time FILE…     seconds for all files, one after the other, as released
       keyframes-released.py UTILS_PY judge FILE…    one JSON line a file: what it samples and selects, how sure it is

"How sure": its RANSAC draws by position, so the same matches in another order can give another answer. A pair of frames
is judged in 20 orders; the chain in 10.
"""

import contextlib
import importlib.util
import io
import json
import random
import sys
import tempfile
import time

import cv2  # pyright: ignore[reportMissingImports]
import numpy as np

ORDERS_OF_A_PAIR = 20
ORDERS_OF_A_CHAIN = 10
THRESHOLD = 0.5


def load(path):
    spec = importlib.util.spec_from_file_location("released", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quietly(run, *args):
    with contextlib.redirect_stdout(io.StringIO()):
        return run(*args)


def list_sampled(file):
    """The frame numbers that `downsample_video` keeps: its own lines, on the header's words."""
    capture = cv2.VideoCapture(file)
    count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    step = int(capture.get(cv2.CAP_PROP_FPS))
    capture.release()
    wanted = list(range(0, count, step))
    if count - 1 not in wanted:
        wanted.append(count - 1)
    return wanted


class Features:
    """ORB features of grey frames, computed once."""

    def __init__(self, frames):
        orb = cv2.ORB_create()
        self.size = frames[0].shape[:2]
        self.of = [orb.detectAndCompute(cv2.cvtColor(f, cv2.COLOR_BGR2GRAY), None) for f in frames]
        self.matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)

    def match(self, a, b):
        """Matched points (reference, candidate) in the released order; None without descriptors."""
        (points, descriptors), (others, other_descriptors) = self.of[a], self.of[b]
        if descriptors is None or other_descriptors is None:
            return None
        matches = sorted(self.matcher.match(descriptors, other_descriptors), key=lambda m: m.distance)
        return [(points[m.queryIdx].pt, others[m.trainIdx].pt) for m in matches]


def is_kept(released, matches, size):
    """The released decision on one pair, and its overlap where there is one."""
    if matches is None or len(matches) <= 10:
        return True, None
    source = np.array([a for a, _ in matches], np.float32).reshape(-1, 1, 2)
    target = np.array([b for _, b in matches], np.float32).reshape(-1, 1, 2)
    homography, _ = cv2.findHomography(target, source, cv2.RANSAC, 5.0)
    if homography is None:
        return True, None
    h, w = size
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32).reshape(-1, 1, 2)
    overlap = released.calculate_overlap_ratio(corners, cv2.perspectiveTransform(corners, homography), w, h)
    return bool(overlap < THRESHOLD), float(overlap)


def run_chain(released, features, order):
    """The released chain on cached features; `order` changes the order of a pair's matches."""
    kept, pairs, count = [0], [], len(features.of)
    for t in range(1, count):
        matches = features.match(kept[-1], t)
        decision, overlap = is_kept(released, order(matches), features.size)
        pairs.append({"reference": kept[-1], "frame": t, "kept": decision, "overlap": overlap})
        if decision:
            kept.append(t)
    if kept[-1] != count - 1:
        kept.append(count - 1)
    return kept, pairs


def judge(released, file):
    sampled = list_sampled(file)
    frames = quietly(released.downsample_video, file)
    if not frames:
        return {"file": file, "problem": "no frames"}
    selected = quietly(released.extract_keyframes, frames, THRESHOLD)
    features = Features(frames)
    del frames
    generator = random.Random(1)

    def shuffle(matches):
        return None if matches is None else generator.sample(matches, len(matches))

    chain, pairs = run_chain(released, features, lambda matches: matches)
    for pair in pairs:
        matches = features.match(pair["reference"], pair["frame"])
        others = [is_kept(released, shuffle(matches), features.size)[0] for _ in range(ORDERS_OF_A_PAIR)]
        pair["flips"] = sum(other != pair["kept"] for other in others) / ORDERS_OF_A_PAIR
    reordered = [run_chain(released, features, shuffle)[0] for _ in range(ORDERS_OF_A_CHAIN)]
    return {
        "file": file,
        "sampled": sampled[: len(features.of)],
        "selected": [int(i) for i in selected],
        "faithful": selected == chain,
        "pairs": pairs,
        "reordered": reordered,
    }


def main():
    path, mode, *files = sys.argv[1:]
    released = load(path)
    if mode == "judge":
        for file in files:
            try:
                row = judge(released, file)
            except Exception as error:
                row = {"file": file, "problem": f"{type(error).__name__}: {error}"}
            print(json.dumps(row), flush=True)
        return
    began = time.perf_counter()
    cpu = time.process_time()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                quietly(released.extract_keyframes_from_video, file, folder)
            except Exception:
                failed += 1
    print(
        json.dumps(
            {
                "secs": time.perf_counter() - began,
                "cpu_secs": time.process_time() - cpu,
                "failed": failed,
                "opencv": cv2.__version__,
            }
        )
    )


main()
