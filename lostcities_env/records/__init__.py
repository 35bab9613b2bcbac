"""Games written down: what was dealt, what was played, how it ended; `docs/records.md` is the format."""

from lostcities_env.records.files import read_records, write_records
from lostcities_env.records.format import format_record, format_records
from lostcities_env.records.lines import RecordError
from lostcities_env.records.parse import parse_records
from lostcities_env.records.record import InvalidRecordError, Record, RoundRecord
from lostcities_env.records.recorder import Recorder

__all__ = [
    "InvalidRecordError",
    "Record",
    "RecordError",
    "Recorder",
    "RoundRecord",
    "format_record",
    "format_records",
    "parse_records",
    "read_records",
    "write_records",
]
