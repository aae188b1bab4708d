import AvahiClient
import Contract
import Foundation
import HostRuntime
import LogbookStores
import Settings
import TestSupport
import Testing
import Timeline

@testable import Logbook

@Suite struct LogbookConfigurationTests {
    private func read(
        _ text: String
    ) throws -> (configuration: LogbookConfiguration, problems: [String]) {
        let folder = try TemporaryFolder()
        let path = folder.path("logbook.toml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let (configuration, problems) = try LogbookConfiguration.read(from: path)
        return (
            configuration,
            problems.map { $0.description.replacingOccurrences(of: path, with: "logbook.toml") }
        )
    }

    @Test func emptyFileHasTheDefaults() throws {
        let (configuration, problems) = try read("")
        #expect(problems == [])
        #expect(configuration.listen.description == "127.0.0.1:8080")
        #expect(configuration.store == nil)
        #expect(configuration.broker.host == "localhost")
        #expect(configuration.broker.port == 1883)
        #expect(configuration.broker.clientID == "rowgate-logbook")
    }

    @Test func shippedFileShowsTheDefaults() throws {
        // The file as it is, and with every key uncommented.
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../config/logbook.toml")
        let text = try String(contentsOf: url, encoding: .utf8)
        var (expected, found) = (try read(""), try read(text))
        #expect(found.problems == [])
        (expected.configuration.settings, found.configuration.settings) = ([], [])
        #expect(found.configuration == expected.configuration)
        let host = try read("").configuration.id
        #expect(Slug.isValid(host))
        #expect(
            try read("[publish]\nid = \"club\"").configuration.topics.topic(of: .best)
                == "rowgate-logbook/v1/club/best")
        #expect(try read("[publish]\nid = \"a club\"").problems.contains { $0.contains("slug") })
        let uncommented = text.replacing(/(?m)^#(\w+ = )/) { "\($0.1)" }
        #expect(try read(uncommented).problems.filter { $0.contains("unknown") } == [])
    }

    @Test func uploadsNeedAKeyAndAStore() throws {
        let store = "[store]\npath = \"/tmp/logbook.db\"\n"
        let (configuration, problems) = try read(
            store + "[uploads]\nkey_file = \"uploads-key\"\nwebhooks = false\n"
                + "page_address = \"https://club.example/\"\nconcept2_client_id = \"club\"\n"
                + "concept2_secret_file = \"/etc/secret\"\nconcept2_address = \"https://log-dev.concept2.com/\""
        )
        #expect(problems == [])
        #expect(configuration.uploads.keyFile == CredentialFile(name: "uploads-key"))
        #expect(configuration.uploads.enabled == [.intervalsICU, .concept2])
        #expect(configuration.uploads.pageAddress == "https://club.example/")
        #expect(configuration.uploads.addresses == [.concept2: "https://log-dev.concept2.com"])
        #expect(configuration.uploads.registrations.map(\.clientID) == ["club"])
        for (text, expected) in [
            ("[uploads]\nkey_file = \"k\"", "uploads.key_file: has no effect if no records are stored"),
            (store + "[uploads]\nwebhooks = true", "uploads.webhooks: has no effect without key_file"),
            (
                store + "[uploads]\nkey_file = \"k\"\nstrava_client_id = \"1\"",
                "uploads.strava_client_id: has no effect without strava_secret_file"
            ),
            (
                store + "[uploads]\nkey_file = \"k\"\npage_address = \"club.example\"",
                "uploads.page_address: \"club.example\" is not a web address"
            ),
        ] {
            let problems = try read(text).problems
            #expect(problems.count == 1 && problems[0].contains(expected), "\(problems)")
        }
    }

    @Test func uploadsNameTheFileThatCannotBeUsed() throws {
        let folder = try TemporaryFolder()
        let key = folder.path("key")
        let text = "[store]\npath = \"/tmp/logbook.db\"\n[uploads]\nkey_file = \"\(key)\"\n"
        func problems() throws -> [String] {
            let configuration = try read(text).configuration
            return configuration.uploads.problems(
                credentialsDirectory: nil, settings: configuration.settings, pages: "http://h/"
            ).problems.map(\.description)
        }
        #expect(try problems().first?.contains("uploads.key_file: \(key) cannot be read") == true)
        func write(_ text: String, mode: Int = 0o600) throws {
            try text.write(toFile: key, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        }
        try write("too-short\n")
        #expect(try problems().first?.contains("has less than 32 characters") == true)
        for (mode, expected) in [
            (0o600, nil), (0o640, nil), (0o644, "all users can read \(key); run chmod 600 \(key)"),
        ] {
            try write(String(repeating: "k", count: 32) + "\n", mode: mode)
            #expect(try problems().first?.contains(expected ?? "-") == expected.map { _ in true })
        }
        let credential = try read(text.replacingOccurrences(of: key, with: "uploads-key")).configuration
        let found = credential.uploads.problems(
            credentialsDirectory: nil, settings: credential.settings, pages: "http://h/")
        #expect(found.problems.isEmpty && found.unchecked == ["uploads.key_file"])
    }

    @Test func openCheckInNeedsAStore() throws {
        let http = "[http]\nopen_check_in = \"network\"\n"
        let (configuration, problems) = try read(http + "[store]\npath = \"/tmp/logbook.db\"")
        #expect(problems == [] && configuration.openCheckIn == .network)
        #expect(try read("").configuration.openCheckIn == .nobody)
        let without = try read(http).problems
        #expect(without.count == 1 && without[0].contains("http.open_check_in: has no effect"), "\(without)")
        #expect(try read("[http]\nopen_check_in = \"machine\"").problems.count == 1)
    }

    @Test func announcesAWallThatOtherMachinesCanOpen() throws {
        func announcement(_ text: String) throws -> Announcement? {
            try read(text).configuration.announcement(hostName: "boathouse")
        }
        let wall = Announcement.Service("_http._tcp", port: 8081, text: ["path": "/wall"])
        for host in ["0.0.0.0", "[::]", "192.0.2.1", "[2001:db8::1]"] {
            #expect(
                try announcement("[http]\nlisten = \"\(host):8081\"")
                    == Announcement(name: "Wall of boathouse", services: [wall]))
        }
        #expect(
            try announcement("[club]\nname = \"Nord\"\n[http]\nlisten = \"0.0.0.0:8081\"")?.name
                == "Wall of Nord")
        for host in ["127.0.0.1", "127.0.0.2", "[::1]"] {
            #expect(try announcement("[http]\nlisten = \"\(host):8081\"") == nil)
        }
        #expect(try announcement("") == nil)
        #expect(try announcement("[http]\nlisten = \"0.0.0.0:8081\"\nmdns = false") == nil)
    }

    private func read(
        _ text: String, zones: TimeZoneDatabase
    ) throws -> (configuration: LogbookConfiguration, problems: [String]) {
        let folder = try TemporaryFolder()
        let path = folder.path("logbook.toml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let (configuration, problems) = try LogbookConfiguration.read(from: path, zones: zones)
        return (
            configuration,
            problems.map { $0.description.replacingOccurrences(of: path, with: "logbook.toml") }
        )
    }

    @Test func usesTheTimeZoneOfTheClub() throws {
        // The configured zone, otherwise the machine's zone, otherwise UTC with a warning.
        func machine(_ zone: String, root: String = "/usr/share/zoneinfo") -> TimeZoneDatabase {
            TimeZoneDatabase(root: root, localTime: "", timeZone: "", environment: zone)
        }
        let text = "[club]\ntime_zone = \"America/New_York\"\n"
        let set = try read(text, zones: machine("Asia/Tokyo"))
        #expect(set.problems == [] && set.configuration.club.calendarWarning == nil)
        let (newYork, tokyo) = (
            try ClubCalendar.of("America/New_York"), try ClubCalendar.of("Asia/Tokyo")
        )
        #expect(set.configuration.club.calendar == newYork)
        let setting = set.configuration.settings.first { $0.key == "time_zone" }
        #expect(setting?.section == "club" && setting?.value == "\"America/New_York\"")
        let unset = try read("", zones: machine("Asia/Tokyo"))
        #expect(unset.problems == [] && unset.configuration.club.calendarWarning == nil)
        #expect(unset.configuration.club.calendar == tokyo)
        let origin = unset.configuration.settings.first { $0.key == "time_zone" }?.origin
        #expect(origin == .derived(from: "the machine"))
        let unknown = try read("", zones: machine("Nowhere/Town"))
        #expect(unknown.problems == [] && unknown.configuration.club.calendar == .utc)
        #expect(
            unknown.configuration.club.calendarWarning?.hasPrefix(
                "the machine's time zone is not known, so days are UTC: \"Nowhere/Town\" is not")
                == true)
    }

    @Test(arguments: [
        (
            "\"America/NewYork\"",
            "\"America/NewYork\" is not a time zone; did you mean America/New_York?"
        ),
        ("\"Berlin\"", "\"Berlin\" is not a time zone; did you mean Europe/Berlin?"),
        ("\"\"", "is empty"),
        ("1", "is a number; write a text in quotes"),
    ])
    func reportsAnInvalidTimeZoneWithItsPosition(value: String, message: String) throws {
        let found = try read("[store]\n[club]\ntime_zone = \(value)\n", zones: .system)
        #expect(found.problems.count == 1)
        #expect(
            found.problems.first?.hasPrefix("logbook.toml:3:1: club.time_zone: \(message)") == true,
            "\(found.problems)")
        let bare = TimeZoneDatabase(
            root: "/nowhere", localTime: "", timeZone: "", environment: nil)
        let none = try read("[club]\ntime_zone = \"Europe/Berlin\"\n", zones: bare)
        #expect(
            none.problems == [
                "logbook.toml:2:1: club.time_zone: there are no time zones in /nowhere; "
                    + "install the package tzdata"
            ])
    }

    @Test func readsTheNameAndTheLogoOfTheClub() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("club.svg")
        func problem(_ content: String) throws -> String? {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            let (configuration, problems) = try read("[club]\nname = \"RC Nord\"\nlogo = \"\(path)\"\n")
            #expect(problems == [] && configuration.club.name == "RC Nord")
            return configuration.logoProblems.first?.description.components(separatedBy: "logbook.toml:").last
        }
        #expect(try problem("<svg/>") == nil)
        #expect(
            try problem("<html>")
                == "3:1: club.logo: \(path) is no SVG file; save it in that format")
        let large = "<svg>" + String(repeating: " ", count: 150_000)
        #expect(
            try problem(large) == "3:1: club.logo: \(path) has 150 kB; "
                + "use a file of at most 100 kB: each page loads it")
        let missing = try read("[club]\nlogo = \"/nowhere/club.png\"\n").configuration
        #expect(
            missing.logoProblems.map { $0.description.components(separatedBy: "logbook.toml:").last } == [
                "2:1: club.logo: /nowhere/club.png cannot be read: No such file or directory; "
                    + "put it there, or give the right path"
            ])
        #expect(throws: ConfigurationFault.self) { try missing.club.logo() }
        #expect(try read("").configuration.club.logo() == nil)
    }

    @Test(arguments: [
        ("logo = \"club.svg\"", "club.logo: \"club.svg\" is not an absolute path of a file; begin it with /"),
        (
            "logo = \"/club.gif\"",
            "club.logo: \"/club.gif\" is neither an SVG nor a PNG file; use a file that ends in .svg or .png"
        ),
        (
            "name = \"\(String(repeating: "x", count: 61))\"",
            "club.name: has 61 characters; use at most 60: it is part of each title"
        ),
    ])
    func reportsWrongNamesAndLogos(line: String, message: String) throws {
        #expect(try read("[club]\n\(line)\n").problems.first == "logbook.toml:2:1: \(message)")
    }

    @Test func acceptsCommandsOnlyIfConfigured() throws {
        let store = "[store]\npath = \"/logbook.db\"\n"
        #expect(try !read(store).configuration.acceptsCommands)
        let (accepting, none) = try read(store + "[publish]\ncommands = true\n")
        #expect(accepting.acceptsCommands && none == [])
        let problems = try read("[publish]\ncommands = true\n").problems
        #expect(
            problems == [
                "logbook.toml:2:1: publish.commands: has no effect if no records are stored; "
                    + "add path = \"...\" below [store], or remove this line"
            ])
    }

    @Test func reportsEveryProblemWithItsPosition() throws {
        // An unknown key, a key of the gateway, a host name as the address, and a certificate without TLS.
        let (_, problems) = try read(
            """
            [broker]
            hots = "x"
            in_flight = 3
            ca_file = "/etc/ca.pem"
            [http]
            listen = "localhost:80"
            [store]
            path = "logbook.db"
            """)
        #expect(
            problems.map { String($0.prefix { $0 != ";" }) } == [
                "logbook.toml:2:1: broker.hots: unknown key",
                "logbook.toml:3:1: broker.in_flight: unknown key",
                "logbook.toml:4:1: broker.ca_file: has no effect without TLS",
                "logbook.toml:6:1: http.listen: \"localhost:80\" is not a valid address",
                "logbook.toml:8:1: store.path: \"logbook.db\" is not an absolute path of a file",
            ])
    }

    @Test func neverRemovesRecordsByDefault() throws {
        let (all, some) = (
            try read("[store]\npath = \"/logbook.db\"").configuration.store,
            try read(
                "[store]\npath = \"/logbook.db\"\nkeep_force_days = 90\nkeep_alert_days = 7"
            ).configuration.store
        )
        #expect(all?.retention == [:] && some?.retention == [.force: 90, .alert: 7])
        #expect(RetentionSchedule(all?.retention ?? [:]).summary == nil)
        #expect(
            RetentionSchedule(some?.retention ?? [:]).summary
                == "force records for 90 days, alert records for 7 days")
    }

    @Test func reportsAMissingFolderOfTheStore() throws {
        let lost = try read("[store]\npath = \"/nowhere/at/all/logbook.db\"").configuration
        let problems = lost.storeProblems.map(\.description)
        #expect(problems.count == 1)
        #expect(
            problems.first?.hasSuffix(
                ":2:1: store.path: there is no folder /nowhere/at/all; create it, owned by the "
                    + "user that runs the logbook") == true, "\(problems)")
        #expect(try read("[store]\npath = \"/logbook.db\"").configuration.storeProblems == [])
        #expect(try read("").configuration.storeProblems == [])
    }

    @Test func readsADatabaseServerWithAPasswordFile() throws {
        // A valid address with a password file, then every possible mistake.
        let folder = try TemporaryFolder()
        try "geheim\n".write(toFile: folder.path("secret"), atomically: true, encoding: .utf8)
        let server = #"postgres = "host=db.example.org dbname=logbook""#
        let found = try read("[store]\n\(server)\npassword_file = \"\(folder.path("secret"))\"")
        #expect(found.problems == [] && found.configuration.storeProblems == [])
        let address = try found.configuration.store?.address(
            credentialsDirectory: nil, settings: found.configuration.settings)
        var expected = try PostgreSQLAddress("host=db.example.org dbname=logbook")
        expected.password = "geheim"
        #expect(address == .postgres(expected))
        for (lines, message) in [
            ("\(server)\npath = \"/logbook.db\"", "2:1: store.postgres: cannot be combined with path"),
            (
                "path = \"/logbook.db\"\npassword_file = \"/x\"",
                "3:1: store.password_file: has no effect"
            ),
            (
                "path = \"/logbook.db\"\nkeep_force_days = 1", "3:1: store.keep_force_days: "
            ),
            (
                "path = \"/logbook.db\"\nkeep_summary_days = 90",
                "3:1: store.keep_summary_days: unknown key"
            ),
            ("postgres = \"what ever=\"", "2:1: store.postgres: is not a PostgreSQL connection string"),
            ("postgres = \"host=db password=geheim\"", "2:1: store.postgres: contains a password"),
        ] {
            let problems = try read("[store]\n\(lines)").problems
            #expect(problems.count == 1, "\(problems)")
            #expect(problems.first?.hasPrefix("logbook.toml:\(message)") == true, "\(problems)")
            #expect(problems.allSatisfy { !$0.contains("geheim") })
        }
        let lost = try read("[store]\n\(server)\npassword_file = \"/nowhere/secret\"").configuration
        #expect(lost.storeProblems.map(\.key) == ["store.password_file"])
        let credential = try read("[store]\n\(server)\npassword_file = \"secret\"").configuration
        let unchecked = credential.store?.problems(
            credentialsDirectory: nil, settings: credential.settings
        ).unchecked
        #expect(unchecked == ["store.password_file"])
    }
}

extension LogbookConfiguration {
    fileprivate var storeProblems: [ConfigurationProblem] {
        store?.problems(credentialsDirectory: nil, settings: settings).problems ?? []
    }
}
