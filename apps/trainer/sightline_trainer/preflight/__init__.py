"""What can be known of a run before anything is loaded: whether it fits, and what to change where it does not."""
