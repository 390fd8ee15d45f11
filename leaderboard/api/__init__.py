"""The REST API, read-only: a file per resource, its serializer beside its viewset."""
