"""Supervised fine-tuning: the baseline that learns from given answers, with their reasoning or without it."""
