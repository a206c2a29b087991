"""What an author who follows MCP's words would say of AgentDojo's tools.

`readOnlyHint` for what changes nothing, and `destructiveHint: false` for what only adds. By those words
sending money, mail or an invitation "destroys nothing": it only adds. Most real servers say so, too.
"""

# Something is gone or overwritten afterwards.
DESTROYS = {
    "cancel_calendar_event",
    "delete_email",
    "delete_file",
    "post_webpage",  # the page that was at the address is gone
    "remove_user_from_slack",
    "reschedule_calendar_event",
    "update_password",
    "update_scheduled_transaction",
    "update_user_info",
}

# Something is added or sent.
ADDS = {
    "add_calendar_event_participants",
    "add_user_to_channel",
    "append_to_file",
    "create_calendar_event",
    "create_file",
    "invite_user_to_slack",
    "reserve_car_rental",
    "reserve_hotel",
    "reserve_restaurant",
    "schedule_transaction",
    "send_channel_message",
    "send_direct_message",
    "send_email",
    "send_money",
    "share_file",
}


def annotations(tool):
    """The annotations of a tool. Everything else only reads."""
    if tool in DESTROYS:
        return {"readOnlyHint": False, "destructiveHint": True}
    if tool in ADDS:
        return {"readOnlyHint": False, "destructiveHint": False}
    return {"readOnlyHint": True}
