#!/bin/sh
# Checks in under ten minutes whether a host can train: scripts/gpu-check.sh [PYTHON]
# PYTHON has the trainer's packages (apps/trainer/requirements.txt); SIGHTLINE_TRAINER_PYTHON or python3 without it.
# No GPU has seen this script yet; on a CPU it runs in small and leaves out what needs one.
set -eu
cd "$(dirname "$0")/.."
exec "${1:-${SIGHTLINE_TRAINER_PYTHON:-python3}}" apps/trainer/scale/gpu_check.py
