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

    @Test func whatMattersIsKept() {
        // Goal: addresses in upper case, the serial from the name, Concept2 characteristics only.
        let tree = tree()
        #expect(tree.adapters[adapter]?.address == "B8:27:EB:00:00:01")
        #expect(tree.adapters[adapter]?.isPowered == true)
        #expect(tree.devices[device]?.serial == "430000001")
        #expect(tree.devices[device]?.rssi == -61)
        #expect(Array(tree.characteristics(of: device).keys) == [.generalStatus])
        #expect(tree.characteristics(of: device)[.generalStatus]?.notifies == true)
        #expect(tree.linkCount(onAdapter: adapter) == 1)
    }

    @Test func changesAndInvalidationsApply() {
        // Goal: PropertiesChanged of known objects counts, of unknown ones does not.
        var tree = tree()
        tree.change(
            device, BlueZName.device, ["Connected": .boolean(false)], invalidated: ["RSSI"])
        #expect(tree.devices[device]?.isConnected == false)
        #expect(tree.devices[device]?.rssi == nil)
        tree.change(
            adapter + "/dev_X", BlueZName.device, ["Connected": .boolean(true)], invalidated: [])
        #expect(tree.devices.count == 1)
    }

    @Test func removalTakesWhatIsBelow() {
        // Goal: characteristics go with their device, and everything with the adapter.
        var tree = tree()
        tree.remove(device, [BlueZName.device])
        #expect(tree.devices.isEmpty)
        #expect(tree.characteristics(of: device).isEmpty)
        tree = self.tree()
        tree.remove(adapter, [BlueZName.adapter])
        #expect(tree.adapters.isEmpty && tree.devices.isEmpty)
        #expect(tree.characteristics(of: device).isEmpty)
    }

    @Test func devicesOfCharacteristicsAreFound() {
        // Goal: the device of a characteristic's path, and of nothing else.
        #expect(BlueZName.device(ofCharacteristic: device + "/service0021/char0022") == device)
        #expect(BlueZName.device(ofCharacteristic: device) == nil)
        #expect(BlueZName.device(ofCharacteristic: "/org/bluez/hci0/other/x/y") == nil)
    }
}

struct AdapterSlotsTests {
    private let now = BootInstant(nanoseconds: 1_000_000_000_000)

    @Test func configuredLimitStands() {
        // Goal: what was told is not overruled by refusals.
        var slots = AdapterSlots(configured: 5)
        for _ in 0..<20 { slots.noteRefusal(of: "a", links: 3, at: now) }
        #expect(slots.limit(at: now) == 5)
        #expect(slots.free(links: 5, at: now) == 0)
        #expect(slots.free(links: 9, at: now) == 0)
    }

    @Test func oneMonitorsBadMomentIsNoLimit() {
        // Goal: eight refusals of one monitor teach nothing, the ninth does; a success clears.
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<8 { slots.noteRefusal(of: "a", links: 4, at: now) }
        #expect(slots.limit(at: now) == nil)
        slots.noteSuccess(links: 5)
        slots.noteRefusal(of: "a", links: 5, at: now)
        #expect(slots.limit(at: now) == nil)
        for _ in 0..<8 { slots.noteRefusal(of: "a", links: 5, at: now) }
        #expect(slots.limit(at: now) == 5)
    }

    @Test func twoMonitorsAgreeSooner() {
        // Goal: three refusals each, at the same number of links, are believed.
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<3 {
            slots.noteRefusal(of: "a", links: 6, at: now)
            #expect(slots.limit(at: now) == nil)
            slots.noteRefusal(of: "b", links: 6, at: now)
        }
        #expect(slots.limit(at: now) == 6)
    }

    @Test func beliefIsTestedAgain() {
        // Goal: after ten minutes one more link is tried; one refusal confirms, success removes.
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<9 { slots.noteRefusal(of: "a", links: 5, at: now) }
        let later = now.advanced(by: .seconds(601))
        #expect(slots.limit(at: later) == 6)
        slots.noteRefusal(of: "a", links: 5, at: later)
        #expect(slots.limit(at: later) == 5)
        slots.noteSuccess(links: 6)
        #expect(slots.limit(at: later) == nil)
    }

    @Test func limitIsNeverBelowWhatStoodBefore() {
        // Goal: a radio that held six links is not believed to be full with four, however often
        // it refuses; with six it may be.
        var slots = AdapterSlots(configured: nil)
        slots.noteSuccess(links: 6)
        for _ in 0..<50 { slots.noteRefusal(of: "a", links: 4, at: now) }
        #expect(slots.limit(at: now) == nil)
        for _ in 0..<9 { slots.noteRefusal(of: "a", links: 6, at: now) }
        #expect(slots.limit(at: now) == 6)
    }

    @Test func wordsOfARadioCountMoreThanRefusals() {
        // Goal: a radio that says that it is full is believed at once; one that has held more, only
        // when it says so three times. Without links it has another reason.
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
        var told = AdapterSlots(configured: 7)
        told.noteFull(links: 5, at: now)
        #expect(told.limit(at: now) == 7)
    }

    @Test func fewLinksAreNoLimit() {
        // Goal: a radio that refuses its first link is not full.
        var slots = AdapterSlots(configured: nil)
        for _ in 0..<50 { slots.noteRefusal(of: "a", links: 1, at: now) }
        #expect(slots.limit(at: now) == nil)
    }
}

struct LinkBackoffTests {
    @Test(arguments: LinkFailure.Kind.allCases)
    func delaysGrowToALimit(kind: LinkFailure.Kind) {
        // Goal: no delay shrinks by more than jitter explains, and none exceeds 60 s.
        var backoff = LinkBackoff(seed: 7)
        var longest = Duration.zero
        for count in 1...100 {
            let delay = backoff.delay(after: kind, count: count)
            #expect(delay >= longest * 0.5)
            #expect(delay <= .seconds(60))
            longest = max(longest, delay)
        }
    }

    @Test func transientRefusalsAreRetriedAtOnce() {
        // Goal: nine quick retries, then patience that grows.
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
    func limitIsKeptAndReached(kind: LinkFailure.Kind, seconds: Int) {
        // Goal: the longest delay is the limit, whatever the jitter, and the shortest of long
        // patience is three fifths of it. Method: a thousand seeds, far behind the last doubling.
        let limit = Duration.seconds(seconds)
        let delays = (0..<UInt64(1000)).map { seed in
            var backoff = LinkBackoff(seed: seed)
            return backoff.delay(after: kind, count: 50)
        }
        #expect(delays.allSatisfy { (limit * 0.599...limit).contains($0) })
        #expect(delays.contains { $0 > limit * 0.99 })
        #expect(delays.contains { $0 < limit * 0.61 })
    }

    @Test func seedDecides() {
        // Goal: the same seed gives the same delays, another one others.
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
    func namesTellClasses(name: String, kind: LinkFailure.Kind) {
        // Goal: the class follows from the error's name, in any phase.
        #expect(LinkFailure(connecting: error(name), took: .seconds(1)).kind == kind)
        #expect(LinkFailure(settingUp: error(name)).kind == kind)
    }

    @Test func durationTellsAnAbsentMonitor() {
        // Goal: one error, two causes: at once it is a refusal, after 40 s nobody was there.
        let failed = error("org.bluez.Error.Failed")
        #expect(LinkFailure(connecting: failed, took: .milliseconds(600)).kind == .connectRefused)
        #expect(LinkFailure(connecting: failed, took: .seconds(40)).kind == .unreachable)
        #expect(LinkFailure(settingUp: failed).kind == .setUpRefused)
    }

    @Test func oneTextHasOneCause() {
        // Goal: the only text that is believed, however long it took.
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

    @Test func statusSpeaksAfterTheEvents() throws {
        // Goal: 0x0031 is subscribed when every event is, 0x0080 last of all.
        let order = SubscriptionOrder.dedicated
        let status = try #require(order.firstIndex(of: .generalStatus))
        #expect(status == order.count - 2)
        #expect(order.last == .multiplexed)
        #expect(Set(order).count == order.count)
    }

    @Test func carrierFollowsTheFirmware() {
        // Goal: what is asked for, unless the monitor lacks it.
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
    @Test func switchesAreReadFromSysfs() throws {
        // Goal: a soft or a hard block of the adapter of that name, nothing else. Method: a folder
        // in the kernel's layout.
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
