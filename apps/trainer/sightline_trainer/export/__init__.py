"""Exports the tiny policy of a run to ONNX, in the folder layout that transformers.js reads.

`python -m sightline_trainer.export RUN_DIR [--checkpoint N]` does it for a run that did not end by itself.
"""
