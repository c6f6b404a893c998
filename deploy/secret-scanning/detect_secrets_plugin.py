"""Finds secrets that this service issues: detect-secrets scan --plugin detect_secrets_plugin.py

The expressions are those of gitleaks.toml, which test/structure/secret-scanning.test.ts compares.
"""

import re

from detect_secrets.plugins.base import RegexBasedDetector


class HostingControlDetector(RegexBasedDetector):
    secret_type = "Hosting Control"

    denylist = [
        re.compile(pattern)
        for pattern in (
            r"(hctl_[a-z2-7]{12}_[0-9A-Za-z]{32}[0-4][0-9A-Za-z]{5})(?:[^0-9A-Za-z_]|$)",
            r"(whsec_(?:[0-9A-Za-z+/]{42}[048AEIMQUYcgkosw]=|[0-9A-Za-z_-]{42}[048AEIMQUYcgkosw]))(?:[^0-9A-Za-z+/=_-]|$)",
            r"(dc_[0-9A-Za-z_-]{42}[048AEIMQUYcgkosw])(?:[^0-9A-Za-z_-]|$)",
        )
    ]
