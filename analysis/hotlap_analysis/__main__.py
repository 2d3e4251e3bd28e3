"""Entry point of `python3 -m hotlap_analysis`."""

import sys

from hotlap_analysis.cli import main

sys.exit(main())
