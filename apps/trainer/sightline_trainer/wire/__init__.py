"""The wire: what a run writes, one JSON object a line. `events.py` is generated from packages/core/src/wire."""

from sightline_trainer.wire.encode import MAX_LINE_BYTES
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import SEGMENT_BYTES, DiskFullError, EventLog

__all__ = ["EXIT_CODES", "MAX_LINE_BYTES", "SEGMENT_BYTES", "DiskFullError", "EventLog"]
