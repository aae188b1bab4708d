import Foundation
import HostRuntime
import PM5Codec
import TestSupport
import Testing
import Timeline

@testable import BlueZLink
@testable import SDBus

struct ObjectTreeTests {
    private let adapter = "/org/bluez/hci0"
    private let device = "/org/bluez/hci0/dev_F4_30_00_00_00_01"

    private func tree() -> ObjectTree {
        ObjectTree([
            "/org/bluez": ["org.bluez.AgentManager1": [:]],
            adapter: [
                BlueZName.adapter: [
                    "Address": .string("b8:27:eb:00:00:01"), "Powered": .boolean(true),
                ]
            ],
            device: [
                BlueZName.device: [
                    "Adapter": .objectPath(adapter), "Name": .string("PM5 430000001 Row"),
                    "RSSI": .int16(-61), "Connected": .boolean(true),
                ]
            ],
            device + "/service0021": ["org.bluez.GattService1": [:]],
            device + "/service0021/char0022": [
                BlueZName.characteristic: [
                    "UUID": .string(PM5UUID.text(.generalStatus)),
                    "Flags": .array([.string("notify")], of: "s"),
                ]
            ],
            device + "/service0001/char0002": [
                BlueZName.characteristic: ["UUID": .string("00002a00-0000-1000-8000-00805f9b34fb")]
            ],
        ])
    }

    @Test func storesOnlyUsedProperties() {
        let tree = tree()
        #expect(tree.adapters[adapter]?.address == "B8:27:EB:00:00:01")
        #expect(tree.adapters[adapter]?.isPowered == true)
        #expect(tree.devices[device]?.serial == "430000001")
        #expect(tree.devices[device]?.rssi == -61)
        #expect(Array(tree.characteristics(of: device).keys) == [.generalStatus])
        #expect(tree.characteristics(of: device)[.generalStatus]?.notifies == true)
        #expect(tree.linkCount(onAdapter: adapter) == 1)
    }

    @Test func appliesChangesToKnownObjects() {
        var tree = tree()
        tree.change(
            device, BlueZName.device, ["Connected": .boolean(false)], invalidated: ["RSSI"])
        #expect(tree.devices[device]?.isConnected == false)
        #expect(tree.devices[device]?.rssi == nil)
        tree.change(
            adapter + "/dev_X", BlueZName.device, ["Connected": .boolean(true)], invalidated: [])
        #expect(tree.devices.count == 1)
    }

    @Test func removesCharacteristicsWithDevice() {
        var tree = tree()
        tree.remove(device, [BlueZName.device])
        #expect(tree.devices.isEmpty)
        #expect(tree.characteristics(of: device).isEmpty)
        tree = self.tree()
        tree.remove(adapter, [BlueZName.adapter])
        #expect(tree.adapters.isEmpty && tree.devices.isEmpty)
        #expect(tree.characteristics(of: device).isEmpty)
    }

    @Test func findsDeviceOfCharacteristicPath() {
        #expect(BlueZName.device(ofCharacteristic: device + "/service0021/char0022") == device)
        #expect(BlueZName.device(ofCharacteristic: device) == nil)
        #expect(BlueZName.device(ofCharacteristic: "/org/bluez/hci0/other/x/y") == nil)
    }
}

struct AdapterSlotsTests {
    private let now = BootInstant(nanoseconds: 1_000_000_000_000)

    @Test func refusalsDoNotChangeConfiguredLimit() {
        var slots = AdapterSlots(configured: 5)
        for _ in 0..<20 { slots.noteRefusal(of: "a", links: 3, at: now) }
        #expect(slots.limit(at: now) == 5)
        #expect(slots.free(links: 5, at: now) == 0)
        #expect(slots.free(links: 9, at: now) == 0)
    }

    @Test func nineRefusalsOfOneMonitorSetLimit() {
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<8 { slots.noteRefusal(of: "a", links: 4, at: now) }
        #expect(slots.limit(at: now) == nil)
        slots.noteSuccess(links: 5)
        slots.noteRefusal(of: "a", links: 5, at: now)
        #expect(slots.limit(at: now) == nil)
        for _ in 0..<8 { slots.noteRefusal(of: "a", links: 5, at: now) }
        #expect(slots.limit(at: now) == 5)
    }

    @Test func threeRefusalsOfTwoMonitorsSetLimit() {
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<3 {
            slots.noteRefusal(of: "a", links: 6, at: now)
            #expect(slots.limit(at: now) == nil)
            slots.noteRefusal(of: "b", links: 6, at: now)
        }
        #expect(slots.limit(at: now) == 6)
    }

    @Test func testsLearntLimitAfterTenMinutes() {
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<9 { slots.noteRefusal(of: "a", links: 5, at: now) }
        let later = now.advanced(by: .seconds(601))
        #expect(slots.limit(at: later) == 6)
        slots.noteRefusal(of: "a", links: 5, at: later)
        #expect(slots.limit(at: later) == 5)
        slots.noteSuccess(links: 6)
        #expect(slots.limit(at: later) == nil)
    }

    @Test func limitIsNotBelowEarlierLinkCount() {
        var slots = AdapterSlots(configured: nil)
        slots.noteSuccess(links: 6)
        for _ in 0..<50 { slots.noteRefusal(of: "a", links: 4, at: now) }
        #expect(slots.limit(at: now) == nil)
        for _ in 0..<9 { slots.noteRefusal(of: "a", links: 6, at: now) }
        #expect(slots.limit(at: now) == 6)
    }

    @Test func reportOfFullRadioSetsLimit() {
        // One report suffices, unless the radio has held more links: then three.
        var slots = AdapterSlots(configured: nil)
        slots.noteFull(links: 0, at: now)
        #expect(slots.limit(at: now) == nil)
        slots.noteFull(links: 1, at: now)
        #expect(slots.limit(at: now) == 1)
        slots.noteSuccess(links: 6)
        #expect(slots.limit(at: now) == nil)
        for _ in 0..<2 { slots.noteFull(links: 5, at: now) }
        #expect(slots.limit(at: now) == nil)
        slots.noteFull(links: 5, at: now)
        #expect(slots.limit(at: now) == 5)
        var configured = AdapterSlots(configured: 7)
        configured.noteFull(links: 5, at: now)
        #expect(configured.limit(at: now) == 7)
    }

    @Test func refusalOfFirstLinkSetsNoLimit() {
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<50 { slots.noteRefusal(of: "a", links: 1, at: now) }
        #expect(slots.limit(at: now) == nil)
    }
}

struct LinkBackoffTests {
    @Test(arguments: LinkFailure.Kind.allCases)
    func delaysGrowUpToLimit(kind: LinkFailure.Kind) {
        // Jitter may shrink a delay, by less than half.
        var backoff = LinkBackoff(seed: 7)
        var longest = Duration.zero
        for count in 1...100 {
            let delay = backoff.delay(after: kind, count: count)
            #expect(delay >= longest * 0.5)
            #expect(delay <= .seconds(60))
            longest = max(longest, delay)
        }
    }

    @Test func retriesQuicklyNineTimes() {
        var backoff = LinkBackoff(seed: 1)
        for count in 1...9 {
            #expect(backoff.delay(after: .connectRefused, count: count) < .milliseconds(320))
        }
        #expect(backoff.delay(after: .connectRefused, count: 10) < .seconds(1.25))
        #expect(backoff.delay(after: .connectRefused, count: 14) >= .seconds(6))
    }

    @Test(
        arguments: [
            (.connectRefused, 10), (.busy, 10), (.unreachable, 10), (.adapterNotReady, 10),
            (.servicesMissing, 30), (.setUpRefused, 30), (.dropped, 30), (.silent, 30),
            (.noSlot, 30),
            (.stalled, 60), (.wrongMonitor, 60),
        ] as [(LinkFailure.Kind, Int)])
    func reachesLimitWithoutExceedingIt(kind: LinkFailure.Kind, seconds: Int) {
        // A thousand seeds; with jitter the shortest delay is three fifths of the limit.
        let limit = Duration.seconds(seconds)
        let delays = (0..<UInt64(1000)).map { seed in
            var backoff = LinkBackoff(seed: seed)
            return backoff.delay(after: kind, count: 50)
        }
        #expect(delays.allSatisfy { (limit * 0.599...limit).contains($0) })
        #expect(delays.contains { $0 > limit * 0.99 })
        #expect(delays.contains { $0 < limit * 0.61 })
    }

    @Test func sameSeedGivesSameDelays() {
        var first = LinkBackoff(seed: 3)
        var second = LinkBackoff(seed: 3)
        var third = LinkBackoff(seed: 4)
        let delays = (1...5).map { first.delay(after: .silent, count: $0) }
        #expect(delays == (1...5).map { second.delay(after: .silent, count: $0) })
        #expect(delays != (1...5).map { third.delay(after: .silent, count: $0) })
    }
}

struct LinkFailureTests {
    private func error(_ name: String) -> BusError {
        BusError(operation: "Connect", subject: "/", name: name, message: "whatever it says")
    }

    @Test(arguments: [
        ("org.bluez.Error.InProgress", LinkFailure.Kind.busy),
        ("org.bluez.Error.NotReady", .adapterNotReady),
        ("org.bluez.Error.NotConnected", .dropped),
        ("org.freedesktop.DBus.Error.UnknownObject", .objectGone),
        ("org.freedesktop.DBus.Error.UnknownMethod", .objectGone),
        ("org.freedesktop.DBus.Error.NoReply", .stalled),
        ("org.freedesktop.DBus.Error.ServiceUnknown", .serviceLost),
        ("org.freedesktop.systemd1.NoSuchUnit", .serviceLost),
    ])
    func errorNameDecidesKind(name: String, kind: LinkFailure.Kind) {
        #expect(LinkFailure(connecting: error(name), took: .seconds(1)).kind == kind)
        #expect(LinkFailure(settingUp: error(name)).kind == kind)
    }

    @Test func durationDistinguishesRefusalFromAbsence() {
        let failed = error("org.bluez.Error.Failed")
        #expect(LinkFailure(connecting: failed, took: .milliseconds(600)).kind == .connectRefused)
        #expect(LinkFailure(connecting: failed, took: .seconds(40)).kind == .unreachable)
        #expect(LinkFailure(settingUp: failed).kind == .setUpRefused)
    }

    @Test func concurrentConnectionLimitMeansNoSlot() {
        let full = BusError(
            operation: "Connect", subject: "/", name: "org.bluez.Error.Failed",
            message: "le-connection-concurrent-connection-limit")
        #expect(LinkFailure(connecting: full, took: .milliseconds(300)).kind == .noSlot)
        #expect(LinkFailure(connecting: full, took: .seconds(9)).kind == .noSlot)
    }
}

struct SubscriptionOrderTests {
    private func characteristics(
        _ ids: [CharacteristicID]
    ) -> [CharacteristicID: CharacteristicObject] {
        Dictionary(
            uniqueKeysWithValues: ids.map {
                ($0, CharacteristicObject(path: "/\($0)", id: $0, flags: ["notify"]))
            })
    }

    @Test func subscribesStatusAfterEvents() throws {
        // 0x0031 follows all events; 0x0080 is last.
        let order = SubscriptionOrder.dedicated
        let status = try #require(order.firstIndex(of: .generalStatus))
        #expect(status == order.count - 2)
        #expect(order.last == .multiplexed)
        #expect(Set(order).count == order.count)
    }

    @Test func carrierDependsOnFirmware() {
        let both = characteristics([.generalStatus, .multiplexed])
        let old = characteristics([.generalStatus])
        let bare = characteristics([.multiplexed])
        let (dedicated, multiplexed) = (SubscriptionOrder.dedicated, SubscriptionOrder.multiplexed)
        #expect(SubscriptionOrder.wanted(.automatic, of: both) == dedicated)
        #expect(SubscriptionOrder.wanted(.automatic, of: bare) == multiplexed)
        #expect(SubscriptionOrder.wanted(.multiplexed, of: both) == multiplexed)
        #expect(SubscriptionOrder.wanted(.multiplexed, of: old) == dedicated)
        #expect(SubscriptionOrder.wanted(.dedicated, of: bare) == dedicated)
    }
}

struct RadioBlockTests {
    @Test func readsRfkillFromSysfs() throws {
        let folder = try TemporaryFolder()
        let switches = [("rfkill0", "phy0", "1", "0"), ("rfkill1", "hci0", "0", "0")]
        for (entry, name, soft, hard) in switches {
            try FileManager.default.createDirectory(
                atPath: folder.path(entry), withIntermediateDirectories: true)
            for (file, text) in [("name", name), ("soft", soft), ("hard", hard)] {
                try "\(text)\n".write(
                    toFile: folder.path("\(entry)/\(file)"), atomically: true, encoding: .utf8)
            }
        }
        #expect(!RadioBlock.isBlocked("hci0", in: folder.path))
        #expect(RadioBlock.isBlocked("phy0", in: folder.path))
        #expect(!RadioBlock.isBlocked("hci1", in: folder.path))
        try "1\n".write(
            toFile: folder.path("rfkill1/hard"), atomically: true, encoding: .utf8)
        #expect(RadioBlock.isBlocked("hci0", in: folder.path))
        #expect(!RadioBlock.isBlocked("hci0", in: folder.path("absent")))
    }
}
