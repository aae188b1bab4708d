import Contract
import Insights
import MQTTClient
import Rowing
import Testing

@testable import Gateway
@testable import Recording
@testable import Settings

@Suite struct ConfigurationTests {
    @Test func emptySectionsMeanTheDocumentedDefaults() throws {
        let configuration = try configuration(anyErg)
        #expect(configuration.gateway.id == "boathouse")
        #expect(configuration.broker.host == "localhost")
        #expect(configuration.broker.port == 1883)
        #expect(configuration.broker.topicPrefix == .standard)
        #expect(configuration.broker.clientID == "rowgate-boathouse")
        #expect(configuration.broker.protocolVersion == .v5)
        #expect(configuration.broker.password == nil)
        #expect(configuration.bluetooth.adapters.isEmpty)
        #expect(configuration.bluetooth.slots == nil)
        #expect(configuration.bluetooth.limit == 8)
        #expect(configuration.ring.path == "/var/lib/rowgate/ring.log")
        #expect(configuration.ring.commitInterval == .seconds(1))
        #expect(configuration.controlSocket == "/run/rowgate/control.sock")
        #expect(configuration.commands == AllowedCommands())
        #expect(configuration.warnings.isEmpty)
    }

    @Test func defaultClientIDBeginsWithTheTopicPrefix() throws {
        let configuration = try configuration(anyErg + "[broker]\ntopic_prefix = \"club/north\"\n")
        #expect(configuration.broker.clientID == "club-north-boathouse")
    }

    @Test func mergesWorkoutsOfAllFiles() throws {
        let first = "[[workout]]\nname = \"one\"\nrow = \"2000m@1:50-1:55\"\n"
        let both = try configuration(
            anyErg + first, "[[workout]]\nname = \"two\"\nrow = \"4x500m/1:00r\"\n")
        #expect(both.workouts.map(\.name) == ["one", "two"])
        #expect(both.workouts[0].order.targets.intervals.count == 1)
        #expect(both.workouts[1].order.targets.isEmpty)
        var inForce = ConfigurationReload.values(both)
        let reload = ConfigurationReload(to: try configuration(anyErg + first), inForce: &inForce)
        #expect(reload.needRestart == [])
        #expect(reload.applied == ["workout[2].name", "workout[2].row"])
    }

    @Test func everyKeyReachesItsValue() throws {
        let configuration = try configuration(
            """
            [gateway]
            id = "north"
            mdns = false
            [broker]
            servers = ["10.0.0.7", "10.0.0.8:1884"]
            port = 18830
            username = "north"
            password_file = "/etc/rowgate/password"
            topic_prefix = "club/north"
            client_id = "n1"
            protocol = "3.1.1"
            keepalive_s = 61
            in_flight = 7
            hold_when_unsubscribed = true
            will_delay_s = 0
            max_publish_per_s = 90
            announce_min = 5
            [bluetooth]
            adapters = ["b8:27:eb:01:02:03", "00:1A:7D:DA:71:13"]
            slots = 5
            sample_rate_ms = 250
            carrier = "multiplexed"
            discovery = "listed"
            limit = 3
            min_rssi_dbm = -70
            release_idle_min = 30
            release_hold_min = 7
            restart_service = true
            relay_adapters = ["hci2", "00:1a:7d:da:71:14"]
            relay_fitness_machine = true
            set_monitor_clocks = true
            [[erg]]
            slug = "erg-1"
            serial = "430000001"
            [[erg]]
            slug = "erg-2"
            serial = "430000002"
            carrier = "dedicated"
            relay = true
            alert_stopped = true
            alert_heart_rate_lost = false
            alert_battery_min_pct = 30
            alert_rate_max_spm = 30
            alert_pace_min_s = 100
            [alerts]
            undervoltage = false
            clock = false
            battery_min_pct = 20
            backlog_max_s = 300
            stopped = false
            link_lost = false
            battery_low = false
            power_collapse = true
            heart_rate_lost = true
            heart_rate_max_bpm = 181
            pace_min_s = 110
            pace_max_s = 125
            rate_min_spm = 18
            drag_min = 95
            drag_max = 135
            [ring]
            path = "/data/ring"
            size_mib = 8
            commit_ms = 200
            raw = false
            [control]
            socket = "/tmp/socket"
            [live]
            interval_ms = 1000
            [commands]
            enabled = true
            [homeassistant]
            discovery = "never"
            [athletes]
            roster = "/etc/rowgate/roster.toml"
            publish_names = true
            [log]
            level = "debug"
            """)
        #expect(configuration.gateway == Configuration.Gateway(id: "north", isAnnounced: false))
        #expect(
            configuration.broker
                == Configuration.Broker(
                    host: "10.0.0.7", port: 18830,
                    alternatives: [BrokerAddress(host: "10.0.0.8", port: 1884)], username: "north",
                    password: CredentialFile(name: "/etc/rowgate/password"),
                    topicPrefix: try TopicPrefix("club/north"), clientID: "n1",
                    protocolVersion: .v311, keepalive: .seconds(61), inFlight: 7,
                    holdsWhenUnsubscribed: true, willDelay: .zero,
                    maximumPublishRate: 90, announcePeriod: .seconds(300)))
        #expect(
            configuration.bluetooth
                == Configuration.Bluetooth(
                    adapters: ["B8:27:EB:01:02:03", "00:1A:7D:DA:71:13"], slots: 5,
                    sampleRate: .milliseconds(250), carrier: .multiplexed, discovery: .listed,
                    limit: 3, weakestSignal: -70, idleBeforeRelease: .seconds(1800),
                    releaseHold: .seconds(420),
                    mayRestartService: true, relayAdapters: ["hci2", "00:1A:7D:DA:71:14"],
                    relaysFitnessMachine: true, setsMonitorClocks: true))
        var alerts = AlertSettings()
        alerts.rules.subtract([.stopped, .linkLost, .batteryLow, .undervoltage, .clock])
        (alerts.lowestBattery, alerts.longestBacklog) = (20, .seconds(300))
        alerts.rules.formUnion([.powerCollapse, .heartRateLost])
        (alerts.highestHeartRate, alerts.rates, alerts.drags) = (181, 18...60, 95...135)
        alerts.paces = Pace(millisecondsPer500m: 110_000)...Pace(millisecondsPer500m: 125_000)
        #expect(configuration.alerts == alerts)
        var ofErg = alerts
        ofErg.rules.insert(.stopped)
        ofErg.rules.remove(.heartRateLost)
        ofErg.lowestBattery = 30
        ofErg.rates = 18...30
        ofErg.paces = Pace(millisecondsPer500m: 100_000)...Pace(millisecondsPer500m: 125_000)
        #expect(
            configuration.ergs == [
                Configuration.Erg(
                    slug: "erg-1", serial: "430000001", carrier: .multiplexed, alerts: alerts),
                Configuration.Erg(
                    slug: "erg-2", serial: "430000002", carrier: .dedicated, alerts: ofErg,
                    isRelayed: true),
            ])
        #expect(
            configuration.ring
                == Configuration.Ring(
                    path: "/data/ring", sizeBytes: 8 * 1024 * 1024,
                    commitInterval: .milliseconds(200), keepsRaw: false))
        #expect(configuration.controlSocket == "/tmp/socket")
        #expect(configuration.liveInterval == .seconds(1))
        #expect(
            configuration.athletes
                == .init(roster: .file("/etc/rowgate/roster.toml"), publishesNames: true))
        #expect(configuration.commands == AllowedCommands(changes: true))
        #expect(configuration.homeAssistantDiscovery == .never)
        #expect(configuration.logLevel == .debug)
        #expect(configuration.warnings.map(\.key) == ["broker.protocol"])
    }

    @Test func encryptionHasItsOwnPortAndFiles() throws {
        let configuration = try configuration(
            anyErg + """
                broker.tls = true
                broker.ca_file = "/etc/rowgate/ca.pem"
                broker.cert_file = "gateway-cert"
                broker.key_file = "gateway-key"
                """)
        #expect(configuration.broker.port == 8883)
        #expect(
            configuration.broker.tls
                == .init(
                    authority: CredentialFile(name: "/etc/rowgate/ca.pem"),
                    certificate: CredentialFile(name: "gateway-cert"),
                    key: CredentialFile(name: "gateway-key")))
        #expect(configuration.settings.tomlText.contains("port = 8883  # from broker.tls\n"))
        let own = try GatewayTests.configuration(
            anyErg + "broker.tls = true\nbroker.port = 1")
        #expect(own.broker.port == 1)
        #expect(own.broker.tls == .init())
    }

    @Test(arguments: [
        ("boathouse.local", "boathouse"), ("Boat_House", "boat-house"), ("", "rowgate"),
        ("pi4", "pi4"), (String(repeating: "x", count: 60), String(repeating: "x", count: 32)),
        ("ö", "--"),
    ])
    func derivesTheGatewayIDFromTheHostName(hostName: String, id: String) throws {
        #expect(try configuration(anyErg, hostName: hostName).gateway.id == id)
    }

    @Test func warnsOfAGenericHostName() throws {
        let derived = try configuration(anyErg, hostName: "raspberrypi")
        #expect(derived.gateway.id == "raspberrypi")
        #expect(derived.warnings.map(\.key) == ["gateway.id"])
        let given = try configuration(anyErg + "gateway.id = \"north\"", hostName: "raspberrypi")
        #expect(given.warnings.isEmpty)
    }

    @Test func warnsOfLiveFasterThanTheMonitor() throws {
        let configuration = try configuration(
            anyErg + "bluetooth.sample_rate_ms = 1000\nlive.interval_ms = 250")
        #expect(configuration.warnings.map(\.key) == ["live.interval_ms"])
    }

    @Test func dropInsReplaceValuesAndAddErgs() throws {
        let configuration = try configuration(
            """
            [broker]
            host = "a"
            port = 1
            [[erg]]
            slug = "one"
            serial = "430000001"
            """,
            """
            broker.host = "b"
            [[erg]]
            slug = "two"
            serial = "430000002"
            """,
            "broker.host = \"c\"")
        #expect(configuration.broker.host == "c")
        #expect(configuration.broker.port == 1)
        #expect(configuration.ergs.map(\.slug) == ["one", "two"])
        let host = configuration.settings.first { $0.key == "host" }
        #expect(
            host?.origin
                == .file(ConfigurationPlace(file: "conf.d/2.toml", line: 1, column: 8)))
    }

    @Test func printsOnlyDifferingSettingsOfAnErg() throws {
        let room = try configuration(
            """
            [alerts]
            heart_rate_max_bpm = 185
            [[erg]]
            slug = "one"
            serial = "430000001"
            [[erg]]
            slug = "two"
            serial = "430000002"
            alert_stopped = false
            alert_rate_max_spm = 30
            """)
        func keys(_ section: String) -> [String] {
            room.settings.filter { $0.section == section }.map(\.key)
        }
        #expect(keys("erg[1]") == ["slug", "serial", "carrier", "relay"])
        #expect(keys("erg[2]") == keys("erg[1]") + ["alert_stopped", "alert_rate_max_spm"])
        #expect(try configuration(room.settings.tomlText).ergs == room.ergs)
    }

    @Test func mergesCrewsOfAllFiles() throws {
        let erg = "[[erg]]\nslug = \"one\"\nserial = \"430000001\"\n"
        let bow = "[[crew]]\nname = \"bow\"\nergs = [\"one\"]\n"
        let stern = "[[crew]]\nname = \"stern\"\nergs = [\"one\", \"pm5-430000002\"]\n"
        let both = try configuration(
            "bluetooth.discovery = \"any\"\n" + erg + bow, stern)
        #expect(both.crews.map(\.id.slug) == ["bow", "stern"])
        #expect(both.crews.map { $0.ergs.map(\.slug) } == [["one"], ["one", "pm5-430000002"]])
        #expect(try configuration(erg + bow).crews.count == 1)
        #expect(try configuration(both.settings.tomlText).crews == both.crews)
    }

    @Test func ergsUseTheRoomsCarrierOrTheirOwn() throws {
        let room = try configuration(
            """
            bluetooth.carrier = "dedicated"
            [[erg]]
            slug = "one"
            serial = "430000001"
            [[erg]]
            slug = "two"
            serial = "430000002"
            carrier = "multiplexed"
            [[erg]]
            slug = "three"
            serial = "430000003"
            carrier = "automatic"
            """
        ).room(roster: .listed([:]), seed: 1)
        #expect(room.carrier == .dedicated)
        #expect(
            room.carriers == [
                "430000001": .dedicated, "430000002": .multiplexed, "430000003": .automatic,
            ])
    }

    @Test func printedConfigurationReadsBackAsItself() throws {
        let first = try configuration(
            """
            broker.username = "quote \\" and \\\\ and é"
            [[erg]]
            slug = "one"
            serial = "430000001"
            [[erg]]
            slug = "two"
            serial = "430000002"
            """)
        let printed = first.settings.tomlText
        let second = try configuration(printed, hostName: "elsewhere")
        #expect(second.gateway == first.gateway)
        #expect(second.broker == first.broker)
        #expect(second.bluetooth == first.bluetooth)
        #expect(second.ergs == first.ergs)
        #expect(second.ring == first.ring)
        #expect(printed.contains("id = \"boathouse\"  # from the host name\n"))
        #expect(printed.contains("port = 1883  # default\n"))
        #expect(printed.contains("carrier = \"automatic\"  # from bluetooth.carrier\n"))
        #expect(printed.contains("slug = \"two\"  # rowgate.toml:6:1\n"))
        #expect(printed.contains("#slots =  # not set\n"))
    }
}
