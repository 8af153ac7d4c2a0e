"""What runs on a host: supervisor, simulator and trainer of a Sightline run."""

__version__ = "0.1.0"
