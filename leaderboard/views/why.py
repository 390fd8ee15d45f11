"""Stub."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def rank(request: HttpRequest, entry: int) -> HttpResponse:
    return render(request, "base.html")


def score(request: HttpRequest, entry: int, name: str) -> HttpResponse:
    return render(request, "base.html")
