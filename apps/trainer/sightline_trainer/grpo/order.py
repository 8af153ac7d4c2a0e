"""The order in which questions are drawn, as a function of seed and epoch."""

from collections.abc import Generator

import torch
from trl.trainer.utils import RepeatSampler


class EpochSampler(RepeatSampler):
    """TRL's sampler, made exact on resume.

    TRL's draws one epoch's order after the other from one generator, so that a run resumed in its third epoch would
    begin with the first one's order again. Here epoch k (0-based) has the order that TRL gives it in a run that
    nobody cut. The Trainer calls `set_epoch` before each epoch, a resumed one included.
    """

    epoch = 0

    @classmethod
    def of(cls, sampler: RepeatSampler) -> "EpochSampler":
        """The same sampler, of this kind."""
        return cls(
            sampler.data_source,
            sampler.mini_repeat_count,
            sampler.batch_size,
            sampler.repeat_count,
            sampler.shuffle,
            sampler.seed,
        )

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Generator[int, None, None]:
        assert self.seed is not None, "the order of a run follows from its seed"
        self.generator.manual_seed(self.seed)
        for _ in range(self.epoch):
            torch.randperm(self.num_samples, generator=self.generator)
        return super().__iter__()
