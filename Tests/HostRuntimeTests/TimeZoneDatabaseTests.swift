import Foundation
import TestSupport
import Testing

@testable import HostRuntime
@testable import Timeline

/// The machine's time zones.
@Suite struct TimeZoneDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database(
        localTime: String = "none", timeZone: String? = nil, environment: String? = nil,
        root: String = "/usr/share/zoneinfo"
    ) throws -> TimeZoneDatabase {
        if let timeZone {
            try timeZone.write(
                toFile: folder.path("timezone"), atomically: true, encoding: .utf8)
        }
        return TimeZoneDatabase(
            root: root, localTime: folder.path(localTime), timeZone: folder.path("timezone"),
            environment: environment)
    }

    private func fault(_ name: String, in database: TimeZoneDatabase = .system) -> String {
        do {
            _ = try database.calendar(named: name)
            return ""
        } catch { return "\(error)" }
    }

    @Test(.enabled(if: InstalledPrograms.areAllowed))
    func pythonSeesTheSameOffsets() async throws {
        // Python's zoneinfo reads the same files with another parser. Compared around each change
        // of a zone, around those of its rule until 2100, and every 211 days.
        let names = TimeZoneDatabase.system.names()
        #expect(names.count > 300)
        var questions = ""
        var answers: [[Int64]] = []
        for name in names {
            let rules = try TimeZoneRules(
                tzif: Array(
                    Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))))
            let later = rules.changes(in: 2_145_916_800..<4_102_444_800)
            let edges = (rules.changes + later).map(\.at).filter { $0 > -3_000_000_000 }
            let instants =
                edges.flatMap { [$0 - 1, $0] }
                + stride(from: -3_000_000_000, to: 5_000_000_000, by: 211 * 86_400 + 12_345)
            questions += "\(name) " + instants.map(String.init).joined(separator: " ") + "\n"
            answers.append(instants.map { rules.offset(at: $0).seconds })
        }
        let file = folder.path("questions")
        try questions.write(toFile: file, atomically: true, encoding: .utf8)
        let script = """
            import datetime, sys, zoneinfo
            utc, start = datetime.timezone.utc, datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
            for line in open(sys.argv[1]):
                name, *instants = line.split()
                zone = zoneinfo.ZoneInfo(name)
                print(*(int((start + datetime.timedelta(seconds=int(at))).astimezone(zone)
                    .utcoffset().total_seconds()) for at in instants))
            """
        let process = try ChildProcess("python3", ["-c", script, file])
        try #require(await process.waitForExit() == 0, "\(process.text.suffix(500))")
        let lines = process.lines
        try #require(lines.count == names.count)
        var compared = 0
        for (index, name) in names.enumerated() {
            let found = lines[index].split(separator: " ").compactMap { Int64($0) }
            #expect(found == answers[index], "\(name)")
            compared += found.count
        }
        #expect(compared > 300_000)
    }

    @Test func findsZoneByName() throws {
        let calendar = try TimeZoneDatabase.system.calendar(named: "Europe/Berlin")
        #expect(calendar.name == "Europe/Berlin")
        #expect(calendar.minute(of: 1_777_587_600_000) == "2026-05-01 00:20")
    }

    @Test(arguments: [
        ("Europe/Berlln", "\"Europe/Berlln\" is not a time zone; did you mean Europe/Berlin?"),
        ("europe/berlin", "\"europe/berlin\" is not a time zone; did you mean Europe/Berlin?"),
        ("New York", "\"New York\" is not a time zone; did you mean America/New_York?"),
        ("America/Berlin", "\"America/Berlin\" is not a time zone; did you mean Europe/Berlin?"),
        ("../../../etc/passwd", "\"../../../etc/passwd\" is not a time zone; write a name of"),
        ("/etc/localtime", "\"/etc/localtime\" is not a time zone; "),
        ("Europe", "\"Europe\" is not a time zone; "), ("", "\"\" is not a time zone; "),
        ("tzdata.zi", "/usr/share/zoneinfo/tzdata.zi is not a usable time zone: it is not a TZif"),
        ("xyzzy plugh", "\"xyzzy plugh\" is not a time zone; write a name of the time zone database"),
    ])
    func aWrongNameHasARemedy(name: String, words: String) {
        #expect(fault(name).hasPrefix(words), "\(fault(name))")
    }

    @Test func missingDatabaseNamesThePackage() throws {
        let database = try database(environment: "Europe/Berlin", root: folder.path("nowhere"))
        let words = "there are no time zones in \(folder.path("nowhere")); install the package tzdata"
        #expect(fault("Europe/Berlin", in: database) == words)
        let (calendar, warning) = database.machine()
        #expect(calendar == .utc)
        #expect(
            warning == "the machine's time zone is not known, so days are UTC: " + words)
    }

    @Test func reportsDamagedFile() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("zones"), withIntermediateDirectories: true)
        try Data("TZif2".utf8).write(to: URL(fileURLWithPath: folder.path("zones/Here")))
        let database = try database(root: folder.path("zones"))
        #expect(
            fault("Here", in: database)
                == "\(folder.path("zones/Here")) is not a usable time zone: it ends too early; "
                + "reinstall the package tzdata, or name another zone")
    }

    @Test func readsTheMachinesZone() throws {
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: folder.path("link"),
            withDestinationPath: "/usr/share/zoneinfo/America/New_York")
        try manager.copyItem(
            atPath: "/usr/share/zoneinfo/Asia/Tokyo", toPath: folder.path("copy"))
        func name(_ database: TimeZoneDatabase) -> String {
            let (calendar, warning) = database.machine()
            return calendar.name + (warning == nil ? "" : " with a warning")
        }
        #expect(name(try database(localTime: "link")) == "America/New_York")
        #expect(
            name(try database(localTime: "link", environment: "Asia/Kolkata")) == "Asia/Kolkata")
        #expect(name(try database(localTime: "link", environment: ":Asia/Kolkata")) == "Asia/Kolkata")
        #expect(
            name(try database(localTime: "link", environment: "/usr/share/zoneinfo/Asia/Tokyo"))
                == "Asia/Tokyo")
        #expect(name(try database(localTime: "link", environment: "")) == "UTC")
        // Browsers have no name for a rule.
        #expect(
            name(try database(localTime: "link", environment: "CET-1CEST,M3.5.0,M10.5.0/3"))
                == "UTC with a warning")
        #expect(name(try database()) == "UTC")
        #expect(name(try database(localTime: "copy")) == "UTC with a warning")
        #expect(name(try database(localTime: "copy", timeZone: "Asia/Tokyo\n")) == "Asia/Tokyo")
        #expect(name(try database(timeZone: "Asia/Tokyo\n")) == "Asia/Tokyo")
        #expect(name(try database(timeZone: "Nowhere/Town\n")) == "UTC with a warning")
    }
}
