"""The attribute server, asked as BlueZ asks."""
import asyncio
import struct
import unittest

from radio import att


class Host:
    def __init__(self):
        self.sent, self.written, self.subscriptions, self.confirmed = [], [], [], []

    async def read(self, identifier):
        values = {"0012": b"430000001", "0034": b"\x01", "0014": b"f" * 20 + b"irmware"}
        return values.get(identifier)

    def write(self, identifier, value):
        self.written.append((identifier, value))

    def subscribe(self, identifier, on):
        self.subscriptions.append((identifier, on))

    async def subscribed(self, identifier):
        self.confirmed.append(identifier)

    def send(self, pdu):
        self.sent.append(pdu)


LONG = "ce06%s-43e5-11e4-916c-0800200c9a66"


class ServerTests(unittest.TestCase):
    def setUp(self):
        table = att.Table()
        att.generic_access(table, "PM5 430000001")
        table.add_service(8, att.uuid_bytes(LONG % "0030"))
        for handle, short, flags, configuration in (
                (9, "0031", "notify", 11), (12, "0022", "read indicate", 14),
                (15, "0034", "read write", None), (17, "0021", "write-without-response", None),
                (19, "0014", "read", None)):
            table.add(att.Characteristic(handle + 1, att.uuid_bytes(LONG % short), flags, short,
                                         configuration), handle)
        self.host = Host()
        self.server = att.Server(table, self.host)

    def ask(self, text):
        return asyncio.run(self.server.handle(bytes.fromhex(text)))

    def test_offers_no_more_than_23_bytes(self):
        self.assertEqual(self.ask("020502"), bytes.fromhex("031700"))

    def test_services_are_listed_by_length_of_their_uuid(self):
        self.assertEqual(self.ask("100100ffff0028"), bytes.fromhex("1106010007000018"))
        answer = self.ask("100800ffff0028")
        self.assertEqual(answer[:6], bytes.fromhex("111408001400"))
        self.assertEqual(answer[6:], att.uuid_bytes(LONG % "0030"))
        self.assertEqual(self.ask("101500ffff0028"), bytes.fromhex("011015000a"))

    def test_a_group_that_is_no_service_is_refused(self):
        self.assertEqual(self.ask("100100ffff0328"), bytes.fromhex("0110010010"))

    def test_characteristics_are_declared_with_properties_and_value_handle(self):
        answer = self.ask("080800ffff0328")
        self.assertEqual(answer[:7], bytes.fromhex("09150900100a00"))
        self.assertEqual(self.ask("080c00ffff0328")[:7], bytes.fromhex("09150c00220d00"))

    def test_configurations_are_found(self):
        self.assertEqual(self.ask("040b000b00"), bytes.fromhex("05010b000229"))

    def test_long_values_are_read_in_pieces(self):
        self.assertEqual(self.ask("0a1400"), b"\x0b" + b"f" * 20 + b"ir")
        self.assertEqual(self.ask("0c14001600"), b"\x0dmware")
        self.assertEqual(self.ask("0c14001b00"), b"\x0d")
        self.assertEqual(self.ask("0c14001c00"), bytes.fromhex("010c140007"))

    def test_what_may_not_be_read_is_refused(self):
        self.assertEqual(self.ask("0a0a00"), bytes.fromhex("010a0a0002"))
        self.assertEqual(self.ask("0a4000"), bytes.fromhex("010a400001"))

    def test_writes_obey_the_properties(self):
        self.assertEqual(self.ask("12100003"), b"\x13")
        self.assertEqual(self.host.written, [("0034", b"\x03")])
        self.assertEqual(self.ask("121200f1"), bytes.fromhex("0112120003"))
        self.assertIsNone(self.ask("521200f1f2"))
        self.assertEqual(self.host.written[-1], ("0021", b"\xf1\xf2"))

    def test_notifications_need_a_subscription_and_are_20_bytes_at_most(self):
        self.assertFalse(self.server.notify("0031", bytes(19)))
        self.assertEqual(self.ask("120b000100"), b"\x13")
        self.assertTrue(self.server.notify("0031", bytes(30)))
        self.assertEqual(self.host.sent, [b"\x1b\x0a\x00" + bytes(20)])
        self.assertEqual(self.ask("0a0b00"), b"\x0b\x01\x00")
        self.ask("120b000000")
        self.assertFalse(self.server.notify("0031", bytes(19)))
        self.assertEqual(self.host.subscriptions, [("0031", True), ("0031", False)])
        self.assertEqual(self.server.subscriptions, 1)

    def test_repeated_subscription_is_accepted(self):
        self.ask("120b000100")
        self.assertEqual(self.ask("120b000100"), b"\x13")
        self.assertEqual(self.server.subscriptions, 2)
        self.assertEqual(self.host.subscriptions, [("0031", True)])

    def test_indications_wait_for_their_confirmation(self):
        self.ask("120e000200")
        self.server.notify("0022", b"a")
        self.server.notify("0022", b"b")
        self.assertEqual(self.host.sent, [b"\x1d\x0d\x00a"])
        self.ask("1e")
        self.assertEqual(self.host.sent[1:], [b"\x1d\x0d\x00b"])

    def test_unknown_and_damaged_requests_are_answered(self):
        self.assertEqual(self.ask("0e01000200"), bytes.fromhex("010e000006"))
        self.assertEqual(self.ask("0a01"), bytes.fromhex("010a000004"))
        self.assertIsNone(self.ask("d2"))

    def test_uuids_are_text_again(self):
        for text in ("2a05", LONG % "0031"):
            long = "0000%s-0000-1000-8000-00805f9b34fb" % text if len(text) == 4 else text
            self.assertEqual(att.uuid_text(att.uuid_bytes(long)), text)

    def test_uuids_of_the_base_range_are_short(self):
        self.assertEqual(att.uuid_bytes("00002a05-0000-1000-8000-00805f9b34fb"),
                         struct.pack("<H", 0x2A05))


if __name__ == "__main__":
    unittest.main()
