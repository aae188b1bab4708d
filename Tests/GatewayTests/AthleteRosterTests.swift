import Rowing
import Settings
import TestSupport
import Testing

@testable import Gateway
@testable import Insights

@Suite struct AthleteRosterTests {
    private func load(_ text: String, ergs: Set<String>? = ["erg-1"]) throws -> AthleteRoster {
        let folder = try TemporaryFolder()
        let path = folder.path("roster.toml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try AthleteRoster.load(from: path, ergs: ergs)
    }

    @Test func readsEveryField() throws {
        let roster = try load(
            """
            [[athlete]]
            id = "a-1"
            name = "Bow"
            erg = "erg-1"
            [[athlete]]
            id = "a-2"
            alert_heart_rate_max_bpm = 171
            alert_rate_max_spm = 22
            power_2k_w = 311
            power_6k_w = 270
            """)
        #expect(roster.ids == ["a-1", "a-2"] && roster.names == ["a-1": "Bow"])
        #expect(roster.athletes.map(\.erg) == ["erg-1", nil])
        var limits = AlertSettings()
        #expect(roster.limits["a-1"] == limits)
        (limits.highestHeartRate, limits.rates) = (171, 10...22)
        #expect(roster.limits["a-2"] == limits)
        #expect(roster.powers(of: "a-1") == TestPowers())
        #expect(roster.powers(of: "a-2") == TestPowers(twoK: 311, sixK: 270))
    }

    @Test func warnsOfRelativeTargetsWithoutAnyAthletesPower() throws {
        func warnings(_ roster: String?) throws -> [String] {
            let folder = try TemporaryFolder()
            let path = folder.path("roster.toml")
            try roster?.write(toFile: path, atomically: true, encoding: .utf8)
            let main = folder.path("rowgate.toml")
            let text =
                "gateway.id = \"north\"\nbluetooth.discovery = \"any\"\n"
                + (roster == nil ? "" : "athletes.roster = \"\(path)\"\n")
                + "[[workout]]\nname = \"one\"\nrow = \"2000m@1:50-1:55\"\n"
                + "[[workout]]\nname = \"easy\"\nrow = \"40:00@55-65%\"\n"
                + "[[workout]]\nname = \"long\"\nrow = \"40:00@6k+4\"\n"
            try text.write(toFile: main, atomically: true, encoding: .utf8)
            return try Configuration.load(from: main).warnings.map {
                $0.description.replacing(folder.path(""), with: "")
            }
        }
        #expect(
            try warnings(nil) == [
                "rowgate.toml:8:1: workout[2].row: has a target relative to an athlete's 2k result, and "
                    + "no athlete has one; write power_2k_w in the roster of [athletes], or set a target "
                    + "in watts or as a pace",
                "rowgate.toml:11:1: workout[3].row: has a target relative to an athlete's 6k result, and "
                    + "no athlete has one; write power_6k_w in the roster of [athletes], or set a target "
                    + "in watts or as a pace",
            ])
        #expect(try warnings("[[athlete]]\nid = \"a\"\n").count == 2)
        #expect(try warnings("[[athlete]]\nid = \"a\"\npower_2k_w = 300\n").count == 1)
        #expect(try warnings("[[athlete]]\nid = \"a\"\npower_2k_w = 300\npower_6k_w = 250\n") == [])
    }

    static let mistakes: [(text: String, message: String)] = [
        ("[[athlete]]\nname = \"Bow\"", "roster.toml:1:1: athlete[1].id: is missing"),
        ("[[athlete]]\nid = \"Anna B\"", "is not an athlete id"),
        ("[[athlete]]\nid = \"a\"\n[[athlete]]\nid = \"a\"", "is already used"),
        ("[[athlete]]\nid = \"a\"\nerg = \"erg-9\"", "is no [[erg]] of the configuration"),
        ("[[athlete]]\nid = \"a\"\nweight = 70", "unknown key"),
        (
            "[[athlete]]\nid = \"a\"\nalert_heart_rate_max_bpm = 20",
            "athlete[1].alert_heart_rate_max_bpm: 20 is outside 60 to 250"
        ),
        (
            "[[athlete]]\nid = \"a\"\nalert_rate_min_spm = 30\nalert_rate_max_spm = 20",
            "30 is above alert_rate_max_spm, which is 20"
        ),
        ("[[athlete]]\nid = \"a\"\nalert_stopped = true", "unknown key"),
        ("[[athlete]]\nid = \"a\"\npower_2k_w = 7", "7 is outside 30 to 1000"),
        ("[[athlete]]\nid = \"a\"\npower_6k_w = 1001", "power_6k_w: 1001 is outside 30 to 1000"),
        ("[[athlet]]\nid = \"a\"", "did you mean athlete?"),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes(text: String, message: String) {
        #expect {
            try load(text)
        } throws: { error in
            "\(error)".contains(message)
        }
    }

    @Test func refusesAnErgNamedAll() throws {
        #expect {
            try configuration("[[erg]]\nslug = \"all\"\nserial = \"430000001\"")
        } throws: { error in
            "\(error)".contains("means the whole room")
        }
    }

    @Test func acceptsExactlyValidIDs() throws {
        func roster(_ id: String) throws -> AthleteRoster {
            let quoted = id.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n").replacing("\u{1}", with: "\\u0001")
                .replacing("\u{7F}", with: "\\u007F")
            return try load("[[athlete]]\nid = \"\(quoted)\"\n")
        }
        for id in AthleteIDs.valid { #expect(try roster(id).ids == [id]) }
        for id in AthleteIDs.invalid {
            #expect(throws: InvalidConfiguration.self, "\(id)") { try roster(id) }
        }
    }

    @Test func readsByteOrderMarkAndCRLF() throws {
        let text = "\u{FEFF}[[athlete]]\r\nid = \"a-1\"\r\nname = \"Bow\"\r\n"
        #expect(try load(text).names == ["a-1": "Bow"])
    }
}
