import Contract
import Testing

@testable import Settings

@Suite struct ConfigurationProblemTests {
    @Test func reportsEveryProblemAtOnce() {
        let found = problems(
            in: """
                [brokre]
                host = "a"
                [broker]
                hots = "a"
                port = "1883"
                keepalive_s = 2
                interval_ms = 5
                [[erg]]
                slug = "Erg 1"
                serial = 430000001
                [ring]
                size_mib = 1.5
                [log]
                level = "warn"
                """)
        #expect(
            found == [
                "rowgate.toml:1:2: brokre: unknown section; did you mean broker?",
                "rowgate.toml:4:1: broker.hots: unknown key; did you mean host?",
                "rowgate.toml:5:1: broker.port: is a text; write a whole number, without quotes",
                "rowgate.toml:6:1: broker.keepalive_s: 2 is outside 5 to 3600",
                "rowgate.toml:7:1: broker.interval_ms: unknown key; it belongs under [live]",
                "rowgate.toml:9:1: erg[1].slug: \"Erg 1\" is not a slug; "
                    + "use 1 to 32 of a-z, 0-9 and -",
                "rowgate.toml:10:1: erg[1].serial: is a number; "
                    + "write a text in quotes, such as \"430123456\"",
                "rowgate.toml:12:1: ring.size_mib: is a number with a fraction; "
                    + "write a whole number, without quotes",
                "rowgate.toml:14:1: log.level: \"warn\" is not one of \"error\", \"warning\", "
                    + "\"notice\", \"info\", \"debug\"",
            ])
    }

    @Test func reportsEveryProblemOfACrew() {
        let erg = "[[erg]]\nslug = \"erg-1\"\nserial = \"430000001\"\n"
        let ergs = (1...9).map { "\"e\($0)\"" }.joined(separator: ", ")
        let crews = [
            "name = \"bow\"\nergs = [\"erg-1\"]", "name = \"bow\"\nergs = [\"erg-1\"]",
            "name = \"Bow 4\"\nergs = [\"erg-1\"]", "name = \"a\"\nergs = [\"erg-2\"]",
            "name = \"b\"\nergs = []", "name = \"c\"\nergs = [\(ergs)]", "ergs = \"erg-1\"",
            "name = \"d\"\nergs = [\"erg-1\", \"erg-1\"]", "name = \"e\"",
        ]
        let found = problems(in: erg + crews.map { "[[crew]]\n\($0)\n" }.joined())
        #expect(
            found == [
                "rowgate.toml:4:3: crew: 9 crews are listed; there can be 8",
                "rowgate.toml:8:1: crew[2].name: \"bow\" is already used at rowgate.toml:5:1",
                "rowgate.toml:11:1: crew[3].name: \"Bow 4\" is not a slug; "
                    + "use 1 to 32 of a-z, 0-9 and -",
                "rowgate.toml:15:1: crew[4].ergs: \"erg-2\" is the slug of no [[erg]]; "
                    + "did you mean \"erg-1\"?",
                "rowgate.toml:18:1: crew[5].ergs: lists 0; there can be 1 to 8",
                "rowgate.toml:21:1: crew[6].ergs: lists 9; there can be 1 to 8",
                "rowgate.toml:22:1: crew[7].name: is missing; add name = \"first-four\"",
                "rowgate.toml:23:1: crew[7].ergs: is a text; write a list: ergs = [\"...\", \"...\"]",
                "rowgate.toml:26:1: crew[8].ergs: \"erg-1\" is listed twice",
                "rowgate.toml:27:1: crew[9].ergs: is missing; add ergs = [\"erg-1\"]",
            ])
    }

    private static let wrongValues: [(line: String, message: String)] = [
        ("broker.host = \"tcp://hub\"", "is not a host name"),
        ("broker.host = \"hub:1883\"", "the port as port = 1883"),
        ("broker.host = \"\"", "is empty"),
        ("broker.port = 0", "0 is outside 1 to 65535"),
        ("broker.port = 65536", "65536 is outside 1 to 65535"),
        ("broker.protocol = \"4\"", "is not one of \"5\", \"3.1.1\""),
        ("broker.protocol = 5", "write a text in quotes, such as \"5\""),
        ("broker.username = \"a\\nb\"", "contains a control character"),
        ("broker.hold_when_unsubscribed = \"yes\"", "write true or false"),
        ("broker.servers = \"hub:1883\"", "write a list: servers ="),
        ("broker.servers = [\"hub:x\"]", "write \"name:port\""),
        ("broker.servers = [\"mqtt://hub\"]", "is not a broker's name and port"),
        ("broker.servers = [\"a:1\", \"a:1\"]", "is listed twice"),
        ("broker.host = \"a\"\nbroker.servers = [\"b\"]", "put it first into servers"),
        ("broker.max_publish_per_s = 9", "9 is outside 10 to 10000"),
        ("broker.announce_min = 1441", "1441 is outside 0 to 1440"),
        ("broker.will_delay_s = 3601", "3601 is outside 0 to 3600"),
        ("broker.topic_prefix = \"\"", "is empty; remove the line, or write"),
        ("broker.topic_prefix = \"club/#\"", "contains # or +, which are wildcards in MQTT"),
        ("broker.topic_prefix = \"$club\"", "begins with $"),
        ("broker.topic_prefix = \"a\\u0000b\"", "contains a NUL"),
        ("broker.password_file = \"etc/password\"", "neither an absolute path"),
        (
            "broker.password_file = \"/p\"\nbroker.protocol = \"3.1.1\"",
            "needs a username with MQTT 3.1.1"
        ),
        ("broker.ca_file = \"/p\"", "has no effect without TLS; add tls = true"),
        ("broker.tls = true\nbroker.cert_file = \"/p\"", "needs its key; add key_file"),
        ("broker.tls = true\nbroker.key_file = \"/p\"", "needs its certificate; add cert_file"),
        ("homeassistant.discovery = \"alway\"", "did you mean \"always\"?"),
        ("bluetooth.adapters = [\"hci0\"]", "hci numbers change"),
        ("bluetooth.adapters = \"B8:27:EB:01:02:03\"", "write a list"),
        (
            "bluetooth.adapters = [\"B8:27:EB:01:02:03\", \"b8:27:eb:01:02:03\"]",
            "is listed twice"
        ),
        ("bluetooth.relay_adapters = [\"hci1\", \"hci1\"]", "is listed twice"),
        ("bluetooth.relay_adapters = [\"hcix\"]", "\"hcix\" is not a Bluetooth address"),
        (
            "bluetooth.adapters = [\"B8:27:EB:01:02:03\"]\n"
                + "bluetooth.relay_adapters = [\"b8:27:eb:01:02:03\"]",
            "is among bluetooth.adapters too"
        ),
        (
            "[[erg]]\nslug = \"one\"\nserial = \"430000001\"\nrelay = true",
            "1 erg has a relay, but bluetooth.relay_adapters names 0"
        ),
        ("bluetooth.sample_rate_ms = 300", "300 is not one of 1000, 500, 250, 100"),
        ("bluetooth.carrier = \"multiplex\"", "did you mean \"multiplexed\"?"),
        ("bluetooth.limit = 9", "9 is outside 1 to 8"),
        ("bluetooth.release_idle_min = 1441", "1441 is outside 0 to 1440"),
        ("bluetooth.release_hold_min = 0", "0 is outside 1 to 60"),
        ("alerts.heart_rate_max_bpm = 300", "300 is outside 60 to 250"),
        ("alerts.stopped = 6", "write true or false"),
        ("alerts.undervoltag = true", "did you mean undervoltage?"),
        ("alerts.battery_min_pct = 2", "2 is outside 5 to 90"),
        ("alerts.backlog_max_s = 5", "5 is outside 10 to 86400"),
        ("[[erg]]\nalert_stopped = 1", "alert_stopped: is a number"),
        ("[[erg]]\nalert_undervoltage = true", "unknown key"),
        ("alerts.off_pace = true", "alerts.off_pace"),
        (
            "alerts.rate_min_spm = 30\nalerts.rate_max_spm = 20",
            "30 is above rate_max_spm, which is 20"
        ),
        (
            "alerts.rate_min_spm = 30\n[[erg]]\nalert_rate_max_spm = 20",
            "30 is above alert_rate_max"
        ),
        ("ring.path = \"ring.log\"", "is not an absolute path"),
        ("ring.size_mib = 3", "3 is outside 4 to 4096"),
        ("live.interval_ms = 100", "100 is outside 250 to 1000"),
        ("control.socket = \"/\(String(repeating: "x", count: 107))\"", "at most 107"),
        ("commands = true", "is true or false, not a section; write [commands]"),
        ("log.level = 2024-01-01", "is a date or time"),
        ("erg.slug = \"one\"", "write [[erg]] with two brackets"),
        ("[[erg]]\ncarrier = \"dedicate\"", "did you mean \"dedicated\"?"),
        ("erg = [1]", "erg[1]: is a number, not a section"),
        ("gateway.id = \"Boat House\"", "is not a slug"),
    ]

    @Test(arguments: wrongValues)
    func suggestsAValidValue(line: String, message: String) {
        let found = problems(in: line)
        #expect(found.contains { $0.contains(message) }, "\(found)")
    }

    @Test func repeatedNamesPointToTheFirst() {
        let found = problems(
            in: "[[erg]]\nslug = \"one\"\nserial = \"430000001\"\n",
            "[[erg]]\nslug = \"one\"\nserial = \"430000001\"\n")
        #expect(
            found == [
                "conf.d/1.toml:2:1: erg[2].slug: \"one\" is already used at rowgate.toml:2:1",
                "conf.d/1.toml:3:1: erg[2].serial: \"430000001\" is already used "
                    + "at rowgate.toml:3:1",
            ])
    }

    @Test func checksWorkouts() {
        func workout(_ name: String, _ row: String) -> String {
            "[[workout]]\nname = \"\(name)\"\nrow = \"\(row)\"\n"
        }
        let found = problems(
            in: anyErg + workout("one", "2000m@1:50") + workout("Two", "2000m"),
            workout("one", "99m") + workout("three", "2 km") + "[[workout]]\nname = \"four\"\n")
        #expect(
            found == [
                "conf.d/1.toml:2:1: workout[3].name: \"one\" is already used at rowgate.toml:3:1",
                "conf.d/1.toml:3:1: workout[3].row: \"99m\" has a mistake: piece is 99 m, "
                    + "must be 100 to 999999",
                "conf.d/1.toml:6:1: workout[4].row: \"2 km\" is not a valid workout; write it as "
                    + "rowgatectl workout --help shows: 4x500m/1:00r@1:50-1:55",
                "conf.d/1.toml:7:1: workout[5].row: is missing; "
                    + "add row = \"4x500m/1:00r@1:50-1:55\"",
                "rowgate.toml:4:1: workout[1].row: \"2000m@1:50\" has a mistake: the target '1:50' "
                    + "is not a range; write both limits, 1:50-1:55, 200-220w, 18-20spm, "
                    + "140-150bpm, 55-65%, 2k+12, or one: -150bpm, 200-w",
                "rowgate.toml:6:1: workout[2].name: \"Two\" is not a slug; "
                    + "use 1 to 32 of a-z, 0-9 and -",
            ])
    }

    @Test func limitsTheNumberOfErgs() {
        func ergs(_ count: Int) -> String {
            (1...count).map { "[[erg]]\nslug = \"e\($0)\"\nserial = \"43000000\($0)\"\n" }.joined()
        }
        #expect(problems(in: ergs(8)).isEmpty)
        #expect(problems(in: ergs(9)).count == 1)
        #expect(problems(in: ergs(9))[0].contains("9 ergs are listed"))
        #expect(problems(in: "bluetooth.limit = 1\n" + ergs(2))[0].contains("bluetooth.limit is 1"))
    }

    @Test func suggestsBothRemediesWithoutErgs() {
        #expect(
            problems(in: "") == [
                "rowgate.toml: erg: no erg is listed; add [[erg]] with slug and serial, "
                    + "or set discovery = \"any\" under [bluetooth]"
            ])
    }

    @Test func reportsAMissingKeyAtItsSection() {
        #expect(
            problems(in: "\n[[erg]]\nslug = \"one\"\n") == [
                "rowgate.toml:2:1: erg[1].serial: is missing; add serial = \"430123456\""
            ])
    }

    /// "no erg is listed" is uncertain while a file has a syntax error, and is omitted.
    @Test func reportsSyntaxErrorsOfAllFiles() {
        let found = problems(in: "[broker\n", "x = = 1\n", "broker.port = 0\n")
        #expect(found.count == 3)
        #expect(found[0].hasPrefix("rowgate.toml:1:"))
        #expect(found[1].hasPrefix("conf.d/1.toml:1:"))
        #expect(found[2].hasPrefix("conf.d/2.toml:1:8: broker.port: 0 is outside"))
    }

    @Test(arguments: [
        ("prot", "port"), ("Port", "port"), ("password-file", "password_file"),
        ("user", nil), ("keep_alive_s", "keepalive_s"), ("zzz", nil),
    ])
    func suggestsTheKeyOfATypingError(word: String, key: String?) {
        let keys = ["host", "port", "username", "password_file", "keepalive_s"]
        #expect(Spelling.nearest(to: word, among: keys) == key)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("port", "prot", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func computesTheEditDistance(left: String, right: String, distance: Int) {
        #expect(Spelling.distance(Array(left), Array(right)) == distance)
    }
}
