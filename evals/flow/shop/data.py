"""What the shop knows. Every text in it was written by the shop itself or by the customer who asks."""

PRODUCTS = {
    "P1": {"name": "Kettle", "variants": {"P1-S": ("steel", 3900), "P1-G": ("glass", 4500)}},
    "P2": {"name": "Desk lamp", "variants": {"P2-B": ("black", 5900), "P2-W": ("white", 5900)}},
    "P3": {"name": "Backpack", "variants": {"P3-20": ("20 l", 6900), "P3-30": ("30 l", 7900)}},
    "P4": {"name": "Headphones", "variants": {"P4-O": ("over ear", 12900), "P4-I": ("in ear", 8900)}},
}

_PEOPLE = [
    ("C1", "Aoife Byrne", "aoife.byrne@example.com", "3 Mill Lane, Cork"),
    ("C2", "Bruno Costa", "bruno.costa@example.com", "Rua do Sol 12, Porto"),
    ("C3", "Chen Li", "chen.li@example.com", "48 Harbour Road, Leeds"),
    ("C4", "Dana Novak", "dana.novak@example.com", "Lipova 7, Brno"),
]


def customers():
    """By id. A customer can be refunded to a card or as credit of the shop."""
    return {
        customer: {"name": name, "email": email, "address": address, "credit": 0}
        for customer, name, email, address in _PEOPLE
    }


def orders():
    """By id. Each customer has one order of two items that waits, one of one item that waits, and one
    that was delivered."""
    found = {}
    for number, (customer, _, _, address) in enumerate(_PEOPLE, start=1):
        for order, status, items in [
            (f"W{number}01", "pending", ["P1-S", "P2-B"]),
            (f"W{number}02", "pending", ["P4-O"]),
            (f"W{number}03", "delivered", ["P3-20", "P1-G"]),
        ]:
            found[order] = {
                "customer": customer,
                "status": status,
                "address": address,
                "items": items,
                "returned": [],
                "note": "",
            }
    return found


def price(item):
    """The price of a variant, in cents."""
    return PRODUCTS[item.split("-")[0]]["variants"][item][1]
