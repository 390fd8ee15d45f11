"""What every page with charts must permit."""

from __future__ import annotations

# Plotly's bundle brings the styles of its maps along, whether there is a map or not. The policy
# lets in exactly this text.
STYLES_OF_MAPS = "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='"
