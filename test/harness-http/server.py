"""A card server in one process and in memory: requests of the network and reversals, no clearings.

python3 server.py [--bug window_boundary|duplicate|balance|race]: prints its address, ends with its input.
"""
import json, secrets, sys, threading
from calendar import monthrange
from datetime import date, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUG = sys.argv[2] if sys.argv[1:2] == ["--bug"] else None
TYPES = {"Authorization Request": "0100", "Authorization Advice": "0120", "Reversal Request": "0400",
         "Reversal Advice": "0420"}
REASONS = {"V": ("00", "Valid"), "I": ("14", "Bad VCN-RCN mapping"), "K": ("62", "Database status bad"),
           "A": ("54", "Expiry date mismatch"), "B": ("54", "VCN expired"), "C": ("63", "CVC2 mismatch"),
           "D": ("57", "Validity period limit"), "M": ("57", "Transaction type restriction"),
           "J": ("57", "MCC limit"), "E": ("61", "Transaction amount limit"), "F": ("61", "Cumulative amount limit"),
           "G": ("65", "Transaction number usage"), "U": ("96", "Unable to process")}
TEMPLATES = [{"id": 1, "mcc_rule": "DENY", "mcc_list": [], "required_control": "VELOCITY", "is_default": True},
             {"id": 2, "mcc_rule": "ALLOW", "mcc_list": ["5812"], "required_control": "VELOCITY", "is_default": False}]


class Refused(Exception):
    """A request that is wrong in these fields."""


class World:
    """The company of one sequence. Its clock stands still until it is moved."""

    def __init__(self, serial, now_ms):
        self.tag, self.now_ms, self.cards, self.serial = f"py{serial}", now_ms, {}, 0

    def now(self):
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=self.now_ms)

    def create(self, asked):
        today = self.now().date()
        last = today.replace(year=today.year + 2, day=monthrange(today.year + 2, today.month)[1])
        start = date.fromisoformat(asked.get("valid_starting_on") or today.isoformat())
        end = date.fromisoformat(asked.get("valid_ending_on") or last.isoformat())
        if "valid_for" in asked:
            years, month = divmod(start.month - 1 + asked["valid_for"], 12)
            days = monthrange(start.year + years, month + 1)[1]
            end = date(start.year + years, month + 1, min(start.day, days))
        self.serial += 1
        self.cards[str(self.serial)] = Card(self, {
            "id": str(self.serial), "status": "Approved", "total_card_amount": asked["total_card_amount"],
            "per_transaction_min": asked.get("per_transaction_min", 0),
            "per_transaction_max": asked.get("per_transaction_max", asked["total_card_amount"]),
            "transactions_max": asked.get("transactions_max") or None, "currency": asked.get("currency"),
            "recurring": asked.get("recurring", "Continuous"), "template_id": asked.get("template_id", 1),
            "valid_starting_on": start.isoformat(), "valid_ending_on": min(end, last).isoformat(),
            "expiry": last.isoformat()[:7], "notified": bool(asked.get("emails")),
            "card_number": f"{self.tag[2:]:0>8}{self.serial:08}", "cvc": f"{secrets.randbelow(1000):03}"}, last)
        return self.cards[str(self.serial)].view()

    def authorize(self, message):
        card = next((c for c in self.cards.values() if c.shown["card_number"] == message["card_number"]), None)
        if card is None:
            return answer("I", None, "declined")
        if message["billing_currency"] != "USD":
            raise Refused("billing_currency")
        return card.authorize(message)


def answer(reason, id, status):
    code, text = REASONS[reason]
    return {"id": id, "response_code": code, "vcn_response": text, "status": status,
            "issuer_response": "Approved" if reason == "V" else "Declined",
            "approval_code": f"{id:06}" if reason == "V" else None}


class Card:
    def __init__(self, world, shown, last_day):
        self.world, self.shown, self.messages, self.purchases = world, shown, [], []
        self.is_awaiting = False  # whether a decided message waits for another: the planted race
        self.end = datetime(last_day.year, last_day.month, last_day.day, 23, 59, 59, tzinfo=timezone.utc)

    def window(self):
        day = (self.world.now() - timedelta(seconds=1 if BUG == "window_boundary" else 0)).date()
        return {"Continuous": date.min, "Daily": day, "Weekly": day - timedelta(days=day.weekday()),
                "Monthly": day.replace(day=1), "Yearly": day.replace(month=1, day=1),
                "Quarterly": day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)}[self.shown["recurring"]]

    def in_window(self, what):
        return sum(p[what] for p in self.purchases if p["window"] == self.window())

    def end_holds(self):
        for purchase in self.purchases:
            if purchase["hold_end"] and purchase["hold_end"] <= self.world.now():
                purchase["held"] = 0
                if purchase["status"] == "open":
                    purchase["status"] = "expired"

    def view(self):
        self.end_holds()
        items = [{"id": m["answer"]["id"], "status": (m["purchase"] or m["answer"])["status"]} for m in self.messages]
        return {**self.shown, "available_balance": self.shown["total_card_amount"] - self.in_window("held"),
                "uses": self.in_window("uses"),
                "authorizations": [i for i in reversed(items) if i["status"] != "expired"][:100]}

    def amount_left(self, message):
        """What a reversal leaves, in the currency of the limits; 0: nothing."""
        billed, settled, paid = (
            (message.get("replacement_amounts") or {}).get(name) or message.get(f"replacement_amounts.{name}") or 0
            for name in ("billing_amount", "settlement_amount", "transaction_amount"))
        currency = self.shown["currency"] or "USD"
        if billed and currency == "USD":
            return billed
        if paid and message["merchant_currency"] == currency:
            return paid
        if billed or settled or paid:
            raise Refused("replacement_amounts.billing_amount", "replacement_amounts.transaction_amount")
        return 0

    def authorize(self, message):
        kind = TYPES.get(message["message_type_indicator"], message["message_type_indicator"])
        key = [kind, message["trace_id"], message["system_trace_audit_number"],
               message["transaction_date_time"].replace("Z", "+00:00")]
        for earlier in self.messages:
            if earlier["key"] == key and BUG != "duplicate":
                return earlier["answer"]
        self.end_holds()
        is_reversal = kind in ("0400", "0420")
        left = self.amount_left(message) if is_reversal else None
        reason, purchase = ("V", self.reverse(key[1], left)) if is_reversal else self.decide(message)
        status = "reversed" if is_reversal else "open" if purchase else "declined"
        self.world.serial += 1
        made = {"key": key, "left": left, "purchase": purchase, "answer": answer(reason, self.world.serial, status)}
        self.messages.append(made)
        return made["answer"]

    def reverse(self, trace_id, left):
        known = [p for p in self.purchases if p["trace_id"] == trace_id]
        original = next((p for p in reversed(known) if p["held"]), known[-1] if known else None)
        if original and left == 0:
            original.update(authorized=0, held=0, uses=0, status="reversed")
        elif original:
            less = max(0, original["authorized"] - left)
            original["authorized"] -= less
            original["held"] = max(0, original["held"] - (0 if BUG == "balance" else less))
        return original

    def decide(self, message):
        amount = message["billing_amount" if self.shown["currency"] is None else "merchant_amount"]
        same_trace = [m["left"] for m in self.messages if m["key"][1] == message["trace_id"]]
        early = same_trace if None not in same_trace else []  # reversals that came before any request
        amount = min([amount, *early])
        reason = "U" if 0 in early else self.reason(message, amount)
        if reason != "V":
            return reason, None
        if BUG == "race":  # the next message is decided before this one is booked; one that is alone waits in vain
            self.is_awaiting = not self.is_awaiting
            Handler.lock.notify_all()
            Handler.lock.wait_for(lambda: not self.is_awaiting, 0.2)
            self.is_awaiting = False
        midnight = self.world.now().replace(hour=0, minute=0, second=1, microsecond=0)
        self.purchases.append({
            "trace_id": message["trace_id"], "authorized": amount, "held": amount, "uses": int(amount > 0),
            "status": "open", "window": self.window(), "hold_end": amount and midnight + timedelta(days=30)})
        return "V", self.purchases[-1]

    def reason(self, message, amount):
        shown, today = self.shown, self.world.now().date().isoformat()
        template = TEMPLATES[shown["template_id"] - 1]
        tried = {
            "K": shown["status"] == "Canceled",
            "A": message.get("expiry", shown["expiry"]) != shown["expiry"],
            "B": self.world.now() > self.end,
            "C": message.get("cvc", shown["cvc"]) != shown["cvc"],
            "D": not shown["valid_starting_on"] <= today <= shown["valid_ending_on"],
            "M": shown["currency"] not in (None, message["merchant_currency"]),
            "J": (message["mcc"] in template["mcc_list"]) != (template["mcc_rule"] == "ALLOW"),
            "E": not (amount and shown["per_transaction_min"]) <= amount <= shown["per_transaction_max"],
            "G": self.in_window("uses") >= (shown["transactions_max"] or float("inf")),
            "F": amount > shown["total_card_amount"] - self.in_window("held")}
        return next((code for code, applies in tried.items() if applies), "V")


class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm, wbufsize = "HTTP/1.1", True, -1
    worlds, lock = [], threading.Condition()

    def answer(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or "{}")
        try:
            with self.lock:
                status, value = 200, self.route(f"{self.command} {self.path}", body)
        except Refused as refused:
            status, value = 400, {"code": "validation_failed", "fields": [{"path": f"data.{n}"} for n in refused.args]}
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = answer

    def route(self, what, body):
        if what == "POST /control/v1/begin":
            self.worlds.append(World(len(self.worlds) + 1, body["start_ms"]))
            world = {"tag": self.worlds[-1].tag, "now_ms": body["start_ms"], "billing_currency": "USD"}
            return {"world": {**world, "templates": TEMPLATES}, "capabilities": ["advanceClock", "cancelCard"]}
        world = self.worlds[-1]
        if what == "POST /control/v1/clock":
            world.now_ms = body["to_ms"]
            return {}
        if what == "POST /network/v1/authorizations":
            return {"data": world.authorize(body["data"])}
        if what == "POST /v1/virtualcards":
            return {"data": world.create(body["data"])}
        card = world.cards[self.path.rsplit("/", 1)[1]]
        if self.command == "DELETE":
            card.shown["status"] = "Canceled"
        return {"data": card.view()}

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
