import Testing

@testable import Gateway
@testable import Recording
@testable import Settings

@Suite struct ConfigurationTests {
    @Test func emptySectionsMeanTheDocumentedDefaults() throws {
        // Goal: the daemon runs on one line of configuration. Method: the defaults of the issue and
        // of the example file, spelled out here once more.
        let configuration = try configuration(anyErg)
        #expect(configuration.gateway.id == "boathouse")
        #expect(configuration.broker.host == "localhost")
        #expect(configuration.broker.port == 1883)
        #expect(configuration.broker.clientID == "rowgate-boathouse")
        #expect(configuration.broker.protocolVersion == .v5)
        #expect(configuration.broker.password == nil)
        #expect(configuration.bluetooth.adapters.isEmpty)
        #expect(configuration.bluetooth.slots == nil)
        #expect(configuration.bluetooth.limit == 8)
        #expect(configuration.ring.path == "/var/lib/rowgate/ring.log")
        #expect(configuration.ring.commitInterval == .seconds(1))
        #expect(configuration.controlSocket == "/run/rowgate/control.sock")
        #expect(!configuration.commandsEnabled)
        #expect(configuration.warnings.isEmpty)
    }

    @Test func everyKeyReachesItsValue() throws {
        // Goal: no key is read into the wrong place. Method: every key away from its default.
        let configuration = try configuration(
            """
            [gateway]
            id = "north"
            [broker]
            host = "10.0.0.7"
            port = 18830
            username = "north"
            password_file = "/etc/rowgate/password"
            client_id = "n1"
            protocol = "3.1.1"
            keepalive_s = 61
            in_flight = 7
            hold_when_unsubscribed = true
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
            [[erg]]
            slug = "erg-1"
            serial = "430000001"
            [[erg]]
            slug = "erg-2"
            serial = "430000002"
            carrier = "dedicated"
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
        #expect(configuration.gateway.id == "north")
        #expect(
            configuration.broker
                == Configuration.Broker(
                    host: "10.0.0.7", port: 18830, username: "north",
                    password: CredentialFile(name: "/etc/rowgate/password"), clientID: "n1",
                    protocolVersion: .v311, keepalive: .seconds(61), inFlight: 7,
                    holdsWhenUnsubscribed: true))
        #expect(
            configuration.bluetooth
                == Configuration.Bluetooth(
                    adapters: ["B8:27:EB:01:02:03", "00:1A:7D:DA:71:13"], slots: 5,
                    sampleRate: .milliseconds(250), carrier: .multiplexed, discovery: .listed,
                    limit: 3, weakestSignal: -70, idleBeforeRelease: .seconds(1800),
                    releaseHold: .seconds(420),
                    mayRestartService: true))
        #expect(
            configuration.ergs == [
                Configuration.Erg(slug: "erg-1", serial: "430000001", carrier: .multiplexed),
                Configuration.Erg(slug: "erg-2", serial: "430000002", carrier: .dedicated),
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
                == .init(rosterPath: "/etc/rowgate/roster.toml", publishesNames: true))
        #expect(configuration.commandsEnabled)
        #expect(configuration.homeAssistantDiscovery == .never)
        #expect(configuration.logLevel == .debug)
        #expect(configuration.warnings.map(\.key) == ["broker.protocol"])
    }

    @Test func encryptionHasItsOwnPortAndFiles() throws {
        // Goal: TLS is one line, and its files reach their places. Method: with and without a port.
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
    func hostNameBecomesTheGatewaysId(hostName: String, id: String) throws {
        // Goal: a derived id is always a slug. Method: host names that are none.
        #expect(try configuration(anyErg, hostName: hostName).gateway.id == id)
    }

    @Test func hostNameOfEveryImageIsWarnedOf() throws {
        // Goal: two rooms on one broker do not collide unseen. Method: the host name of Raspberry
        // Pi OS, once left alone and once overruled.
        let derived = try configuration(anyErg, hostName: "raspberrypi")
        #expect(derived.gateway.id == "raspberrypi")
        #expect(derived.warnings.map(\.key) == ["gateway.id"])
        let given = try configuration(anyErg + "gateway.id = \"north\"", hostName: "raspberrypi")
        #expect(given.warnings.isEmpty)
    }

    @Test func liveFasterThanTheMonitorIsWarnedOf() throws {
        // Goal: a useless setting is named. Method: 250 ms live over 1000 ms samples.
        let configuration = try configuration(
            anyErg + "bluetooth.sample_rate_ms = 1000\nlive.interval_ms = 250")
        #expect(configuration.warnings.map(\.key) == ["live.interval_ms"])
    }

    @Test func dropInsReplaceValuesAndAddErgs() throws {
        // Goal: conf.d can overrule one key and add one erg. Method: three files, merged in order.
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

    @Test func ergsFollowTheRoomOrTheirOwnCarrier() throws {
        // Goal: the link asks each monitor in the way that is its own, and a monitor that is not
        // listed in the room's. Method: three ergs, one without a carrier, into link terms.
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
        // Goal: --print-config is a valid file that says the same. Method: print and parse again.
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
