import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "examples/verify"))
from verify import verify

for line in sys.stdin:
    call = json.loads(line)
    numbers = {name: float(call[name]) for name in ("threshold", "timeout")}
    print(verify(**{**call, **numbers}), flush=True)
