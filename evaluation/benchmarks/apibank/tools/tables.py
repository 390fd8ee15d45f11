"""Which database each tool reads or changes."""

from __future__ import annotations

_TABLES = {
    "Account": (
        "CheckToken",
        "GetUserToken",
        "RegisterUser",
        "DeleteAccount",
        "ModifyPassword",
        "ForgotPassword",
    ),
    "Bank": ("QueryBalance",),
    "Agenda": ("AddAgenda", "ModifyAgenda", "QueryAgenda", "DeleteAgenda"),
    "Reminder": ("AddReminder", "ModifyReminder", "QueryReminder", "DeleteReminder"),
    "Alarm": ("AddAlarm", "ModifyAlarm", "QueryAlarm", "DeleteAlarm"),
    "Meeting": ("AddMeeting", "ModifyMeeting", "QueryMeeting", "DeleteMeeting"),
    "Appointments": (
        "AppointmentRegistration",
        "CancelRegistration",
        "QueryRegistration",
        "ModifyRegistration",
    ),
    "HealthData": ("QueryHealthData", "RecordHealthData"),
    "Symptom": ("SymptomSearch", "EmergencyKnowledge"),
    "Scenes": ("AddScene", "ModifyScene", "DeleteScene", "QueryScene"),
    "TimeSwitch": ("TimedSwitch", "CancelTimedSwitch"),
    "QuestionAnswering": ("DocumentQA",),
    "ImageCaptioning": ("ImageCaption",),
    "SpeechRecognition": ("SpeechRecognition",),
    "History": ("QueryHistoryToday",),
    "Stock": ("QueryStock",),
    "Wiki": ("Wiki",),
    "SearchEngine": ("SearchEngine",),
    "Hotel": ("BookHotel",),
}
TABLE_OF = {tool: table for table, tools in _TABLES.items() for tool in tools}
TABLES = tuple(_TABLES)
