"""GRPO training of a small reasoner, on TRL's GRPOTrainer: `python -m sightline_trainer.grpo` inside an attempt."""
