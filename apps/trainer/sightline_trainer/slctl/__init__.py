"""The supervisor that is pushed to hosts: launch, watch, read, control. Standard library only, no daemon, no port."""
