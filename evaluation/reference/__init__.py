"""A model that is none: an OpenAI-compatible endpoint whose answers come from word overlap.

It sees what any model sees, the request, and nothing else: no benchmark, no answers, no memory
between requests. It is the board's baseline and a way to try the product offline.
"""
