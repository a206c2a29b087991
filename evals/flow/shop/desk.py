"""The tools of the desk. A refusal is a ValueError that says why."""

from shop import data

_TEXT = {"type": "string"}


def _tool(description, hints, **parameters):
    """Describes a method; its parameters are texts."""

    def describe(method):
        method.tool = {
            "name": method.__name__,
            "description": description,
            "inputSchema": {
                "type": "object",
                "properties": {name: {**_TEXT, "description": about} for name, about in parameters.items()},
                "required": list(parameters),
            },
            "annotations": hints,
        }
        return method

    return describe


READS = {"readOnlyHint": True}
ADDS = {"readOnlyHint": False, "destructiveHint": False}
CHANGES = {"readOnlyHint": False, "destructiveHint": True}


class Desk:
    """The shop's database behind its tools."""

    def __init__(self):
        self.customers = data.customers()
        self.orders = data.orders()

    @_tool("Finds a customer by the address of their mail.", READS, email="The address.")
    def find_customer(self, email):
        for customer, about in self.customers.items():
            if about["email"] == email:
                return {"customer": customer, "name": about["name"]}
        raise ValueError(f"nobody has the address {email}")

    @_tool("Shows a customer.", READS, customer="The customer's id.")
    def get_customer(self, customer):
        return self._customer(customer)

    @_tool("Lists the orders of a customer.", READS, customer="The customer's id.")
    def list_orders(self, customer):
        self._customer(customer)
        return {id_: order["status"] for id_, order in self.orders.items() if order["customer"] == customer}

    @_tool("Shows an order.", READS, order="The order's id.")
    def get_order(self, order):
        return self._order(order)

    @_tool("Shows a product with its variants and prices.", READS, product="The product's id.")
    def get_product(self, product):
        if product not in data.PRODUCTS:
            raise ValueError(f"there is no product {product}")
        return data.PRODUCTS[product]

    @_tool("Cancels an order that was not sent.", CHANGES, order="The order's id.", reason="Why.")
    def cancel_order(self, order, reason):
        found = self._order(order, "pending")
        found["status"], found["note"] = "cancelled", reason
        return found

    @_tool("Sends an order elsewhere.", CHANGES, order="The order's id.", address="The new address.")
    def change_order_address(self, order, address):
        found = self._order(order, "pending")
        found["address"] = address
        return found

    @_tool("Moves a customer.", CHANGES, customer="The customer's id.", address="The new address.")
    def change_customer_address(self, customer, address):
        found = self._customer(customer)
        found["address"] = address
        return found

    @_tool(
        "Replaces an item by another variant of the same product.",
        CHANGES,
        order="The order's id.",
        item="The variant that is in the order.",
        variant="The variant that is wanted.",
    )
    def exchange_item(self, order, item, variant):
        found = self._order(order)
        if item not in found["items"] or item in found["returned"]:
            raise ValueError(f"{item} is not in order {order}")
        if found["status"] == "cancelled" or item.split("-")[0] != variant.split("-")[0]:
            raise ValueError(f"{item} cannot become {variant}")
        found["items"] = [variant if each == item else each for each in found["items"]]
        return found

    @_tool("Takes back an item that was delivered.", CHANGES, order="The order's id.", item="The variant.")
    def return_item(self, order, item):
        found = self._order(order, "delivered")
        if item not in found["items"] or item in found["returned"]:
            raise ValueError(f"{item} is not in order {order}")
        found["returned"].append(item)
        return found

    @_tool(
        "Gives the price of an item that came back, as credit.", ADDS, order="The order's id.", item="The variant."
    )
    def refund_as_credit(self, order, item):
        found = self._order(order, "delivered")
        if item not in found["returned"]:
            raise ValueError(f"{item} did not come back")
        customer = self._customer(found["customer"])
        customer["credit"] += data.price(item)
        return customer

    @_tool("Adds a note to an order.", ADDS, order="The order's id.", note="The note.")
    def add_note(self, order, note):
        found = self._order(order)
        found["note"] = note
        return found

    def _customer(self, customer):
        if customer not in self.customers:
            raise ValueError(f"there is no customer {customer}")
        return self.customers[customer]

    def _order(self, order, status=None):
        if order not in self.orders:
            raise ValueError(f"there is no order {order}")
        found = self.orders[order]
        if status and found["status"] != status:
            raise ValueError(f"order {order} is {found['status']}, not {status}")
        return found


TOOLS = {name: method.tool for name, method in vars(Desk).items() if hasattr(method, "tool")}
