"""Stub."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def boards(request: HttpRequest) -> HttpResponse:
    return render(request, "base.html")


def standings(request: HttpRequest, slug: str) -> HttpResponse:
    return render(request, "base.html")
