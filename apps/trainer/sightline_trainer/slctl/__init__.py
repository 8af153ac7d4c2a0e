"""The supervisor that is pushed to hosts: launch, watch, read and control runs. Standard library only, no daemon, no port."""
