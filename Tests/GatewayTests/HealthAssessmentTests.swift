import ControlSocket
import Foundation
import MQTTClient
import TestSupport
import Testing

@testable import BlueZLink
@testable import Contract
@testable import Gateway
@testable import Insights
@testable import Publishing
@testable import Recording
@testable import Rowing
@testable import Timeline

/// The assessment of a snapshot, and its values in health and status.
struct HealthAssessmentTests {
    private let now = BootInstant(nanoseconds: 1_000_000_000_000)

    private func adapter(
        _ number: Int, limit: Int? = 7, kernel: KernelRadio? = nil
    ) -> RoomSnapshot.Adapter {
        RoomSnapshot.Adapter(
            address: "B8:27:EB:00:00:0\(number)", name: "hci\(number)", isPowered: true,
            isDiscovering: false, linksUsed: 1, linkLimit: limit, foreignLinks: nil,
            kernel: kernel, powerCycles: number)
    }

    private func snapshot(
        _ adapters: [RoomSnapshot.Adapter], problems: [RoomProblem] = [],
        stations: [StationSnapshot] = [], isServicePresent: Bool = true, isMonitorMissing: Bool = false
    ) throws -> GatewaySnapshot {
        GatewaySnapshot(
            gateway: try #require(GatewayID("boathouse")), version: "1", at: now,
            started: now.advanced(by: .seconds(-100)),
            clock: WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: true),
            room: RoomSnapshot(
                isServicePresent: isServicePresent, serviceRestarts: 0, isMonitorMissing: isMonitorMissing,
                adapters: adapters, monitors: [], problems: problems, sightings: []),
            stations: stations, ergsConfigured: stations.count,
            publisher: PublisherStatistics(
                isConnected: true, published: 0, rejected: 0, unsubscribed: 0,
                tooLong: 0, parked: [], incomingDropped: 0,
                server: BrokerAddress(host: "localhost", port: 1883)),
            recorder: RecorderSnapshot(
                epoch: "01J0EP0CH", path: "/ring", sizeBytes: 1, usedFraction: 0, backlog: 0,
                droppedTotal: 0),
            commandsRejected: 0)
    }

    @Test func scansWhileAMonitorIsMissing() throws {
        #expect(ScanReply(try snapshot([], isMonitorMissing: true).room, ergs: [:]).isScanning)
        #expect(!ScanReply(try snapshot([]).room, ergs: [:]).isScanning)
    }

    @Test(arguments: [
        RoomProblem.adapterStuck(name: "hci0"), .adapterBlocked(name: "hci0"),
        .adapterOff(name: "hci0"), .adapterMissing(address: "B8:27:EB:00:00:09"),
        .adapterScanned(name: "hci0"),
    ])
    func adapterProblemDegrades(problem: RoomProblem) throws {
        let assessment = HealthAssessment(try snapshot([adapter(0)], problems: [problem]))
        #expect(assessment.status == .degraded)
        #expect(assessment.reasons == ["\(problem.message); \(problem.remedy)"])
    }

    @Test func missingBluetoothFails() throws {
        let gone = RoomProblem.noBluetoothService(cause: "it left the bus")
        let blind = try snapshot([adapter(0)], problems: [gone], isServicePresent: false)
        #expect(HealthAssessment(blind).status == .failed)
        #expect(HealthAssessment(try snapshot([], problems: [.noAdapter])).status == .failed)
        #expect(HealthAssessment(try snapshot([adapter(0)])).status == .ok)
    }

    @Test func reportsLowBatteriesAndNotSleep() throws {
        var link = LinkStatus(phase: .asleep(after: .seconds(900)))
        (link.connects, link.failures, link.lastFailure) = (4, 3, "le-connection-abort-by-local")
        var asleep = try station("erg-1", link)
        asleep.batteryPercent = 15
        let quiet = try snapshot(
            [adapter(0)], stations: [asleep, station("erg-2", LinkStatus(phase: .searching))])
        #expect(HealthAssessment(quiet).status == .ok)
        let health = Health(quiet)
        #expect(health.ergsAsleep == 1 && health.ergsOnline == 0)
        #expect(try fields(of: health)["erg_battery_pct"] == ["erg-1": 15])
        let status = StatusReply(quiet).ergs[0]
        #expect(status.link.phase == .asleep && status.link.sleepReason?.contains("15 min") == true)
        #expect(status.batteryPercent == 15 && !status.isBatteryLow)
        asleep.batteryPercent = 14
        let low = try snapshot([adapter(0)], stations: [asleep])
        #expect(HealthAssessment(low).status == .degraded)
        #expect(
            HealthAssessment(low).reasons == [
                "erg-1: its monitor's batteries are at 14 %; put in two new D cells"
            ])
        #expect(StatusReply(low).ergs[0].isBatteryLow)
    }

    @Test func reportsCertificatesThatEndSoon() throws {
        let day: Int64 = 86_400_000
        var snapshot = try snapshot([adapter(0)])
        let present = snapshot.clock.unixMilliseconds(at: now)
        let notice = CertificateExpiry.noticeMilliseconds
        snapshot.publisher.certificates = CertificateExpiry(
            broker: present + notice + day, own: present + notice + day)
        #expect(HealthAssessment(snapshot).status == .ok)
        let health = Health(snapshot)
        #expect(health.brokerCertificateEnd == present + notice + day)
        #expect(health.ownCertificateEnd == health.brokerCertificateEnd)
        snapshot.publisher.certificates = CertificateExpiry(
            broker: present + notice - day, own: present - day)
        #expect(HealthAssessment(snapshot).status == .degraded)
        #expect(
            HealthAssessment(snapshot).reasons == [
                "the broker's certificate ends on 1970-01-14; renew it at the broker",
                "our certificate for the broker ended on 1969-12-31; renew broker.cert_file",
            ])
        snapshot.clock.isSynchronized = false
        #expect(HealthAssessment(snapshot).status == .ok)
    }

    @Test func linksShowInStatusAndHealth() throws {
        var link = LinkStatus(phase: .streaming)
        (link.rssi, link.connects, link.resubscriptions) = (-61, 3, 1)
        var linked = try station("erg-1", link)
        linked.openSince = now.advanced(by: .seconds(-90))
        linked.lastValue = now.advanced(by: .milliseconds(-300))
        linked.valueRate = Rate(tenthsPerSecond: 102)
        let kernel = KernelRadio(
            links: 1, bytesReceived: 123, bytesSent: 45, errors: 3)
        let whole = try snapshot(
            [adapter(0, kernel: kernel), adapter(1, limit: nil)],
            stations: [linked, station("erg-2", LinkStatus(phase: .searching))])
        let health = try fields(of: Health(whole))
        let status = StatusReply(whole)
        let (first, second) = (status.ergs[0].link, status.ergs[1].link)
        #expect(health["erg_rssi_dbm"] == ["erg-1": -61])
        #expect(first.rssiDBm == -61 && second.rssiDBm == nil)
        #expect(health["erg_link_age_s"] == ["erg-1": 90])
        #expect(first.ageSeconds == 90 && second.ageSeconds == nil)
        #expect(health["erg_notifications_per_s"] == ["erg-1": 10.2])
        #expect(first.notificationsPerSecond == 10.2)
        #expect(health["erg_silence_s"] == ["erg-1": 0.3])
        #expect(first.silenceSeconds == 0.3)
        #expect(health["erg_reconnects_total"] == ["erg-1": 2, "erg-2": 0])
        #expect(first.reconnects == 2 && first.resubscriptions == 1)
        let (known, other) = ("B8:27:EB:00:00:00", "B8:27:EB:00:00:01")
        #expect(health["adapter_links"] == [known: 1, other: 1])
        #expect(health["adapter_links_max"] == [known: 7])
        #expect(health["adapter_power_cycles_total"] == [known: 0, other: 1])
        #expect(health["adapter_rx_bytes"] == [known: 123])
        #expect(health["adapter_tx_bytes"] == [known: 45])
        #expect(health["adapter_errors_total"] == [known: 3])
        #expect(status.adapters[0].slotsTotal == 7 && status.adapters[1].slotsTotal == nil)
        #expect(status.adapters.map(\.bytesReceived) == [123, nil])
        #expect(status.adapters.map(\.bytesSent) == [45, nil])
        #expect(status.adapters.map(\.errors) == [3, nil])
        #expect(status.adapters.map(\.powerCycles) == [0, 1])
    }

    @Test func stalledDiskDegrades() throws {
        var snapshot = try snapshot([adapter(0)])
        snapshot.recorder.diskDelay = .seconds(4)
        #expect(HealthAssessment(snapshot).status == .ok)
        #expect(Health(snapshot).diskBehindSeconds == 4)
        snapshot.recorder.diskDelay = .seconds(7)
        let assessment = HealthAssessment(snapshot)
        #expect(assessment.status == .degraded)
        #expect(assessment.reasons.first?.contains("not answered for 7 s") == true)
    }

    /// The golden tables of `rowgatectl status` use this sample.
    @Test func statusSampleHasEveryField() throws {
        let kernel = KernelRadio(
            links: 4, bytesReceived: 48_213_007, bytesSent: 51_300, errors: 2)
        let adapters = [
            RoomSnapshot.Adapter(
                address: "B8:27:EB:01:02:03", name: "hci0", isPowered: true, isDiscovering: true,
                linksUsed: 3, linkLimit: 3, foreignLinks: 1, kernel: kernel, powerCycles: 1),
            RoomSnapshot.Adapter(
                address: "00:1A:7D:DA:71:13", name: "hci1", isPowered: false, isDiscovering: false,
                linksUsed: 0, linkLimit: nil, foreignLinks: nil, kernel: nil, powerCycles: 0),
        ]
        var whole = try snapshot(adapters, stations: sampleStations())
        whole.room = RoomSnapshot(
            isServicePresent: true, serviceRestarts: 1, isMonitorMissing: true, adapters: adapters,
            monitors: [], problems: [.adapterOff(name: "hci1")], sightings: [],
            relays: [
                RelayStatus(adapter: "hci2", serial: "430000001", state: .connected, problem: nil),
                RelayStatus(
                    adapter: "hci3", serial: "430000009", state: .refused,
                    problem: "Failed to register advertisement"),
                RelayStatus(adapter: "hci4", serial: nil, state: .waitingForMonitor, problem: nil),
            ])
        whole.version = "0.1.0"
        whole.started = now.advanced(by: .seconds(-11_534))
        whole.clock.bootID = "5f0c9c1e7d3b4a5f8e2d1c0b9a8f7e6d"
        whole.publisher.server = BrokerAddress(host: "hub.local", port: 1883)
        whole.publisher.isConnected = false
        whole.publisher.connectionChanged = now.advanced(by: .milliseconds(-95_500))
        (whole.publisher.published, whole.publisher.unsubscribed) = (18_230, 41)
        whole.publisher.lastFailure = BrokerFailure(
            operation: "connect", broker: "hub.local:1883", cause: "connection refused")
        whole.recorder = RecorderSnapshot(
            epoch: "01JD3W9Q4ZK7M2N8P5R6S7T8V9", path: "/var/lib/rowgate/ring.log",
            sizeBytes: 256 << 20, usedFraction: 0.031, backlog: 12,
            oldestUnpublishedAge: .milliseconds(94_250), reach: .milliseconds(187_200_500),
            droppedTotal: 7, diskDelay: .milliseconds(1500), worstCommit: .milliseconds(3250),
            failure: "fdatasync: Input/output error")
        let figures = LoadShedding.Measurements(queueDelay: .milliseconds(240), processorPercent: 97)
        whole.load.measurements = figures
        for second in [0, 6] {
            _ = whole.load.shedding.update(with: figures, at: now.advanced(by: .seconds(second)))
        }
        var backlog = Alert(
            id: "01JD3WC0A2C4E6G8J0K2M4N6PA", rule: .backlog,
            since: now.advanced(by: .milliseconds(-34_250)), at: now)
        (backlog.value, backlog.threshold) = (7000, 6000)
        backlog.acknowledgement = Alert.Acknowledgement(
            at: now.advanced(by: .milliseconds(-8500)), by: "anna")
        (whole.alerts, whole.alertsTotal) = ([backlog], 2)
        whole.crews = [Crew(CrewID("pair")!, ["erg-1", "erg-2"].compactMap { StationID($0) })!]
        let athletes = (1...24).map { RosterAthlete(id: "a-\($0)") }
        let roster = ReceivedRoster(
            RosterPart(revision: "1", logbook: LogbookID("club")!, athletes: athletes),
            receivedAt: 1_790_000_000_000)
        whole.athletes = GatewayAthletes.Reading(
            settings: .init(roster: .logbook), received: roster)
        whole.recorder.athletes = [StationID("erg-1")!: "a-1", StationID("erg-2")!: "stranger"]
        whole.announcement = "announced as \"rowgate boathouse\" at boathouse.local"
        #expect(StatusReply(whole) == .sample)
        var isSet: [String: Bool] = [:]
        lookForValues(in: StatusReply.sample, "status", &isSet)
        #expect(isSet.filter { !$0.value }.keys.sorted() == [])
    }

    /// Stores for each optional field whether any value of its type has set it.
    private func lookForValues(in value: Any, _ path: String, _ isSet: inout [String: Bool]) {
        let mirror = Mirror(reflecting: value)
        let isOptional = mirror.displayStyle == .optional
        if isOptional { isSet[path] = isSet[path] ?? false || !mirror.children.isEmpty }
        for child in mirror.children {
            let name = isOptional ? nil : child.label.map { "\(mirror.subjectType).\($0)" }
            lookForValues(in: child.value, name ?? path, &isSet)
        }
    }

    private func sampleStations() throws -> [StationSnapshot] {
        var link = LinkStatus(phase: .streaming)
        (link.rssi, link.adapter, link.connects) = (-61, "hci0", 2)
        (link.resubscriptions, link.removals) = (1, 1)
        link.lastFailure = "le-connection-abort-by-local"
        var rowing = try station("erg-1", link)
        rowing.openSince = now.advanced(by: .seconds(-723))
        rowing.lastValue = now.advanced(by: .milliseconds(-120))
        rowing.valueRate = Rate(tenthsPerSecond: 143)
        rowing.undecodable = 2
        rowing.state = StationState(
            activity: .rowing, session: SessionID("01JD3WB6J2T4V6X8Z0A2C4E6G8"))
        var live = MetricsSample(
            at: now, state: .rowing, elapsed: .milliseconds(123_460),
            distance: Meters(millimeters: 512_340))
        live.pace = Pace(millisecondsPer500m: 119_960)
        (live.strokeRate, live.powerWatts, live.heartRate) = (24, 203, 142)
        var bands = TargetBands()
        bands.pace = TargetBand(low: 11_000, high: 11_900)
        bands.watts = TargetBand(low: 180, high: 220)
        bands.rate = TargetBand(low: 18, high: 20)
        bands.heartRate = TargetBand(low: nil, high: 150)
        live.target = WorkoutTargets([bands]).check(live, ofInterval: 1)
        rowing.live = live
        link = LinkStatus(phase: .streaming)
        (link.rssi, link.adapter, link.connects) = (-70, "hci0", 1)
        var idle = try station("erg-2", link)
        idle.openSince = now.advanced(by: .seconds(-11_500))
        idle.lastValue = now.advanced(by: .milliseconds(-400))
        idle.valueRate = Rate(tenthsPerSecond: 40)
        let loan = MonitorRelease(until: now.advanced(by: .seconds(840)))
        let unlinked: [LinkPhase] = [
            .parked(.noSlot("hci0 holds 3 of 3 links")), .searching, .released(loan),
            .asleep(after: .seconds(900)),
        ]
        var stations = [rowing, idle]
        for (index, phase) in unlinked.enumerated() {
            stations.append(try station("erg-\(index + 3)", LinkStatus(phase: phase)))
        }
        stations[0].batteryPercent = 64
        (stations[0].clockOffset, stations[0].clockSettings) = (.seconds(-75), 2)
        stations[5].batteryPercent = 9
        var offPace = Alert(
            id: "01JD3WC0A2C4E6G8J0K2M4N6P8", rule: .offPace,
            since: now.advanced(by: .milliseconds(-12_500)),
            session: rowing.state.session, at: now)
        (offPace.value, offPace.threshold) = (12_650, 12_200)
        (stations[0].alerts, stations[0].alertsTotal) = ([offPace], 3)
        let battery = Alert(
            id: "01JD3WC0A2C4E6G8J0K2M4N6P9", rule: .batteryLow,
            since: now.advanced(by: .seconds(-7200)), at: now)
        (stations[5].alerts, stations[5].alertsTotal) = ([battery], 1)
        for index in [0, 1, 2, 4, 5] { stations[index].serial = "43000000\(index + 1)" }
        stations[0].machineType = .modelD
        return stations
    }

    private func station(_ slug: String, _ link: LinkStatus) throws -> StationSnapshot {
        StationSnapshot(
            station: try #require(StationID(slug)), serial: nil, link: link,
            valueRate: .zero, state: StationState(activity: .idle), undecodable: 0,
            lostEvents: 0)
    }

    /// The objects of a health message, by field.
    private func fields(of health: Health) throws -> [String: [String: Double]] {
        let bytes = health.payload(
            gateway: try #require(GatewayID("boathouse")), at: now,
            clock: WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: true))
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return try #require(object).compactMapValues { $0 as? [String: Double] }
    }
}
