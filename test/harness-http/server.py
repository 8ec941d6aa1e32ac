"""A card server in one process and in memory, without clearings, updates and aging holds.

python3 server.py [--bug window_boundary|duplicate|balance]: prints its address, ends with its input.
"""
import json, secrets, sys, threading
from calendar import monthrange
from datetime import date, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUG = sys.argv[2] if sys.argv[1:2] == ["--bug"] else None
TYPES = {"Authorization Request": "0100", "Authorization Advice": "0120",
         "Reversal Request": "0400", "Reversal Advice": "0420"}
REASONS = {"V": ("00", "Valid"), "I": ("14", "Bad VCN-RCN mapping"), "K": ("62", "Database status bad"),
           "A": ("54", "Expiry date mismatch"), "B": ("54", "VCN expired"), "C": ("63", "CVC2 mismatch"),
           "D": ("57", "Validity period limit"), "M": ("57", "Transaction type restriction"),
           "J": ("57", "MCC limit"), "E": ("61", "Transaction amount limit"), "G": ("65", "Transaction number usage"),
           "F": ("61", "Cumulative amount limit"), "U": ("96", "Unable to process")}
TEMPLATES = [{"id": 1, "mcc_rule": "DENY", "mcc_list": [], "required_control": "VELOCITY", "is_default": True},
             {"id": 2, "mcc_rule": "ALLOW", "mcc_list": ["5812", "7011"], "required_control": "VELOCITY",
              "is_default": False}]


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
        ends = today.replace(year=today.year + 2, day=monthrange(today.year + 2, today.month)[1])
        starts = date.fromisoformat(asked.get("valid_starting_on") or today.isoformat())
        last = date.fromisoformat(asked.get("valid_ending_on") or ends.isoformat())
        if asked.get("valid_for"):
            years, month = divmod(starts.month - 1 + asked["valid_for"], 12)
            year, month = starts.year + years, month + 1
            last = date(year, month, min(starts.day, monthrange(year, month)[1]))
        self.serial += 1
        card = {"id": str(self.serial), "status": "Approved", "total_card_amount": asked["total_card_amount"],
                "per_transaction_min": asked.get("per_transaction_min", 0),
                "per_transaction_max": asked.get("per_transaction_max", asked["total_card_amount"]),
                "transactions_max": asked.get("transactions_max") or None,
                "recurring": asked.get("recurring", "Continuous"), "currency": asked.get("currency"),
                "valid_starting_on": starts.isoformat(), "valid_ending_on": min(last, ends).isoformat(),
                "expiry": ends.isoformat()[:7], "template_id": int(asked.get("template_id", 1)),
                "notified": bool(asked.get("emails")), "card_number": f"{self.tag[2:]:0>8}{self.serial:08}",
                "cvc": f"{secrets.randbelow(1000):03}"}
        self.cards[card["id"]] = Card(self, card, ends)
        return self.cards[card["id"]].view(shows_number=True)

    def authorize(self, message):
        card = next((c for c in self.cards.values() if c.shown["card_number"] == message["card_number"]), None)
        if card is None:
            return answer("I", None)
        if message["billing_currency"] != "USD":
            raise Refused("billing_currency")
        return card.authorize(message)


def answer(reason, message_id, status="declined", elsewhere=None):
    code, text = REASONS[reason]
    approved = reason == "V" and status != "declined"
    return {"id": message_id, "response_code": elsewhere or code, "vcn_response": text, "status": status,
            "issuer_response": "Approved" if approved else "Declined",
            "approval_code": f"{message_id:06}" if approved else None}


def is_refund(message):
    return message.get("card_holder_transaction_type_code", "")[:2] in ("20", "28")


def is_decline(message):
    return message.get("response_code", "00") != "00"


class Card:
    def __init__(self, world, shown, ends):
        self.world, self.shown, self.ends = world, shown, ends
        self.messages, self.purchases, self.wrong_codes = [], [], []

    def window(self):
        at = self.world.now() - timedelta(seconds=1 if BUG == "window_boundary" else 0)
        day = at.date()
        return {"Continuous": date.min, "Daily": day, "Weekly": day - timedelta(days=day.weekday()),
                "Monthly": day.replace(day=1), "Yearly": day.replace(month=1, day=1),
                "Quarterly": day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)}[self.shown["recurring"]]

    def hold_end(self):
        day = self.world.now().replace(hour=0, minute=0, second=1, microsecond=0)
        return day + timedelta(days=30)

    def end_holds(self):
        for purchase in self.purchases:
            if purchase["hold_end"] is not None and purchase["hold_end"] <= self.world.now():
                purchase["held"], purchase["is_live"] = 0, False
                if purchase["status"] == "open":
                    purchase["status"] = "expired"

    def available(self, window):
        return self.shown["total_card_amount"] - sum(p["held"] for p in self.purchases if p["window"] == window)

    def view(self, shows_number=False):
        self.end_holds()
        items = [{"id": m["answer"]["id"], "status": m["purchase"]["status"] if m["purchase"] else m["answer"]["status"]}
                 for m in reversed(self.messages)]
        hidden = {} if shows_number else {"card_number": "*" * 12 + self.shown["card_number"][-4:], "cvc": "***"}
        return {**self.shown, **hidden, "available_balance": self.available(self.window()),
                "uses": sum(p["is_use"] for p in self.purchases if p["window"] == self.window()),
                "authorizations": [i for i in items if i["status"] != "expired"][:100]}

    def limit_amount(self, message):
        return message["billing_amount" if self.shown["currency"] is None else "merchant_amount"]

    def corrected(self, message):
        """What a reversal leaves, in the currency of the limits; 0: nothing; None: it does not say."""
        billed, settled, paid = (
            (message.get("replacement_amounts") or {}).get(name) or message.get(f"replacement_amounts.{name}") or 0
            for name in ("billing_amount", "settlement_amount", "transaction_amount"))
        currency = self.shown["currency"] or message["billing_currency"]
        if billed and message["billing_currency"] == currency:
            return billed
        if paid and message["merchant_currency"] == currency:
            return paid
        return None if billed or settled or paid else 0

    def authorize(self, message):
        kind = TYPES.get(message["message_type_indicator"], message["message_type_indicator"])
        key = (kind, *(message[n] for n in ("trace_id", "system_trace_audit_number", "transaction_date_time")))
        repeated = next((m for m in self.messages if m["key"] == key), None)
        if repeated and BUG != "duplicate":
            return repeated["answer"]
        corrected = self.corrected(message)
        if kind[1] == "4" and corrected is None:
            raise Refused("replacement_amounts.billing_amount", "replacement_amounts.transaction_amount")
        self.end_holds()
        reason, purchase, status = self.decide(kind, message)
        if message.get("cvc", self.shown["cvc"]) != self.shown["cvc"]:
            self.wrong_codes.append(self.world.now().date())
        self.world.serial += 1
        elsewhere = message.get("response_code") if kind == "0120" and reason == "V" else None
        entry = {"key": key, "kind": kind, "trace_id": message["trace_id"], "is_decline": is_decline(message),
                 "corrected": corrected, "purchase": purchase,
                 "answer": answer(reason, self.world.serial, status, elsewhere)}
        self.messages.append(entry)
        return entry["answer"]

    def decide(self, kind, message):
        known = [p for p in self.purchases if p["trace_id"] == message["trace_id"]]
        live = next((p for p in reversed(known) if p["is_live"]), None)
        amount = 0 if is_refund(message) else self.limit_amount(message)
        if kind in ("0400", "0420"):
            return "V", self.reverse(known, self.corrected(message)), "reversed"
        if kind == "0120" and is_decline(message):
            return "V", None, "declined"
        if message.get("incremental"):
            onto = next((p for p in reversed(known) if p["is_live"] and not p["is_refund"]
                         and (p["authorized"] > 0 or p["is_use"])), None)
            if onto:
                reason = self.reason(message, self.limit_amount(message), onto) if kind == "0100" else "V"
                if reason == "V":
                    if onto["hold_end"] is None and amount > 0 and onto["held"] == 0:
                        onto["hold_end"] = self.hold_end()
                    onto["authorized"] += amount
                    onto["held"] += amount
                return (reason, onto, "open") if reason == "V" else (reason, None, "declined")
        elif kind == "0120" and known:
            about = live or known[-1]
            by = amount - about["reported"] if live and not about["is_refund"] else 0
            about["reported"] = amount
            for name in ("authorized", "held"):
                about[name] = max(0, about[name] + by)
            if about["hold_end"] is None and by > 0 and about["held"] == by:
                about["hold_end"] = self.hold_end()
            if by != 0 and about["held"] == 0 and about["status"] == "open":
                about["hold_end"] = None
            return "V", about, "open"

        asked = self.limit_amount(message)
        early = self.early_reversals(message["trace_id"])
        if 0 in early:
            return "U", None, "declined"
        reason = "V" if kind == "0120" else self.reason(message, min([asked, *early]), None)
        if reason != "V":
            return reason, None, "declined"
        held = min([asked, *early]) if not is_refund(message) else 0
        self.purchases.append({
            "trace_id": message["trace_id"], "reported": amount, "authorized": held, "held": held, "status": "open",
            "is_use": held > 0, "is_live": True, "is_refund": is_refund(message), "window": self.window(),
            "hold_end": self.hold_end() if held > 0 else None})
        return "V", self.purchases[-1], "open"

    def reverse(self, known, corrected):
        original = next((p for p in reversed(known) if p["held"] > 0), known[-1] if known else None)
        if original and corrected == 0:
            original.update(authorized=0, held=0, is_use=False, is_live=False, status="reversed")
        elif original:
            less = max(0, original["authorized"] - corrected)
            original["authorized"] -= less
            original["held"] = max(0, original["held"] - (0 if BUG == "balance" else less))
        return original

    def early_reversals(self, trace_id):
        """What reversals that came before any other message with the trace id leave of it, once."""
        early, others = [], [m for m in self.messages if m["trace_id"] == trace_id]
        while others and others[0]["kind"] in ("0400", "0420"):
            early.append(others.pop(0)["corrected"])
        used = any(m["kind"] == "0100" or (m["kind"] == "0120" and not m["is_decline"]) for m in others)
        return [] if used else early

    def reason(self, message, amount, onto):
        shown, now = self.shown, self.world.now()
        template = TEMPLATES[shown["template_id"] - 1]
        whole = amount + (onto["authorized"] if onto else 0)
        window = onto["window"] if onto else self.window()
        is_locked = self.wrong_codes.count(now.date()) >= 10
        if shown["status"] == "Canceled": return "K"
        if message.get("expiry", shown["expiry"]) != shown["expiry"]: return "A"
        if now > datetime(self.ends.year, self.ends.month, self.ends.day, 23, 59, 59, tzinfo=timezone.utc): return "B"
        if "cvc" in message and (is_locked or message["cvc"] != shown["cvc"]): return "C"
        if not shown["valid_starting_on"] <= now.date().isoformat() <= shown["valid_ending_on"]: return "D"
        if shown["currency"] not in (None, message["merchant_currency"]): return "M"
        if (message["mcc"] in template["mcc_list"]) != (template["mcc_rule"] == "ALLOW"): return "J"
        if is_refund(message): return "V"
        if not (shown["per_transaction_min"] if amount else 0) <= whole <= shown["per_transaction_max"]: return "E"
        uses = sum(p["is_use"] for p in self.purchases if p["window"] == window)
        if not onto and shown["transactions_max"] is not None and uses >= shown["transactions_max"]: return "G"
        return "F" if amount > self.available(window) else "V"


class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm, wbufsize = "HTTP/1.1", True, -1
    worlds, lock = [], threading.Lock()

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
            world = self.worlds[-1]
            return {"world": {"tag": world.tag, "now_ms": world.now_ms, "billing_currency": "USD",
                              "templates": TEMPLATES}, "capabilities": ["advanceClock", "cancelCard"]}
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
