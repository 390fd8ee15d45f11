"""API-Bank: runnable tools, dialogues that call them, and two ways of judging the calls."""
