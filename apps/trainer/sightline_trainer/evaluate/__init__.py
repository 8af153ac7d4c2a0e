"""Evaluation: the answers of one model to one question set under one settings card, as a run of its own."""
