import Glibc
import Timeline

/// The time zones that the machine knows: the files of the package tzdata.
package struct TimeZoneDatabase: Sendable {
    private static let folder = "/usr/share/zoneinfo"

    /// Of this machine.
    package static let system = TimeZoneDatabase(
        root: folder, localTime: "/etc/localtime", timeZone: "/etc/timezone",
        environment: getenv("TZ").map { String(cString: $0) })

    private let root: String
    private let localTime: String
    private let timeZone: String
    private let environment: String?

    /// - Parameters:
    ///   - root: the folder with the files of zones.
    ///   - localTime: what usually is a link to the machine's zone in this folder.
    ///   - timeZone: what may hold the name of the machine's zone.
    ///   - environment: the variable `TZ`.
    package init(root: String, localTime: String, timeZone: String, environment: String?) {
        (self.root, self.localTime, self.timeZone) = (root, localTime, timeZone)
        self.environment = environment
    }

    /// Why there is no such zone, and what to do about it.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        package let reason: String
        package let remedy: String

        package var description: String { "\(reason); \(remedy)" }
    }

    /// The zone of an IANA name, `Europe/Berlin`.
    package func calendar(named name: String) throws(Fault) -> ClubCalendar {
        guard Self.isName(name) else { throw unknown(name) }
        let path = "\(root)/\(name)"
        guard let bytes = Self.bytes(of: path) else {
            let error = errno
            guard error == ENOENT || error == EISDIR || error == ENOTDIR else {
                throw Fault(
                    reason: "\(path) cannot be read: \(String(cString: strerror(error)))",
                    remedy: "let the user of this program read it")
            }
            throw unknown(name)
        }
        do throws(TimeZoneFileFault) {
            return ClubCalendar(name: name, try TimeZoneRules(tzif: bytes))
        } catch {
            throw Fault(
                reason: "\(path) is not a usable time zone: \(error)",
                remedy: "reinstall the package tzdata, or name another zone")
        }
    }

    /// The machine's zone: that of `TZ`, else of /etc/localtime, else of /etc/timezone, else UTC. If the
    /// machine has a zone that cannot be used, this is UTC, and the warning says why.
    package func machine() -> (calendar: ClubCalendar, warning: String?) {
        guard let (name, source) = machineName() else { return (.utc, nil) }
        do throws(Fault) {
            guard let name else {
                throw Fault(
                    reason: "\(source) names no time zone of \(root)",
                    remedy: "set time_zone below [club]")
            }
            return (try calendar(named: name), nil)
        } catch {
            return (.utc, "the machine's time zone is not known, so days are UTC: \(error)")
        }
    }

    /// The name of the machine's zone, nil if it has none, and where it comes from; nil for a machine
    /// without a zone.
    private func machineName() -> (name: String?, source: String)? {
        if let environment {
            // An empty TZ is UTC for the C library too.
            guard !environment.isEmpty else { return nil }
            let name = environment.hasPrefix(":") ? String(environment.dropFirst()) : environment
            return (zoneName(of: name), "TZ=\(environment)")
        }
        if let path = SmallFile.resolved(localTime) {
            if let name = zoneName(of: path) { return (name, localTime) }
            // A copy of the zone's file, in place of a link to it.
            let name = SmallFile.line(timeZone).flatMap(zoneName(of:))
            return (name, localTime)
        }
        return SmallFile.line(timeZone).map { (zoneName(of: $0), timeZone) }
    }

    /// Of a name, or of the path of a zone's file; nil for a path elsewhere and for a POSIX rule.
    private func zoneName(of text: String) -> String? {
        let text = text.filter { !$0.isWhitespace }
        let base = (SmallFile.resolved(root) ?? root) + "/"
        if text.hasPrefix(base) { return String(text.dropFirst(base.count)) }
        if text.hasPrefix(root + "/") { return String(text.dropFirst(root.count + 1)) }
        return Self.isName(text) ? text : nil
    }

    // MARK: - Names

    /// Files beside those of zones, and links to the machine's.
    private static let others = ["leapseconds", "localtime", "posixrules"]

    /// Names of zones, sorted.
    package func names() -> [String] {
        var names: [String] = []
        var folders = [""]
        // The database is three folders deep.
        for _ in 0..<3 {
            var inner: [String] = []
            for folder in folders {
                for entry in SmallFile.names(in: folder.isEmpty ? root : "\(root)/\(folder)") {
                    let name = folder.isEmpty ? entry : "\(folder)/\(entry)"
                    // Copies of all zones, with and without leap seconds.
                    if ["posix", "right"].contains(name) || !Self.isName(name) { continue }
                    if entry.contains(".") || Self.others.contains(entry) { continue }
                    var status = stat()
                    guard stat("\(root)/\(name)", &status) == 0 else { continue }
                    if status.st_mode & S_IFMT == S_IFDIR {
                        inner.append(name)
                    } else {
                        names.append(name)
                    }
                }
            }
            folders = inner
        }
        return names.sorted()
    }

    private func unknown(_ name: String) -> Fault {
        let names = names()
        guard !names.isEmpty else {
            return Fault(
                reason: "there are no time zones in \(root)", remedy: "install the package tzdata")
        }
        return Fault(
            reason: "\"\(name.prefix(60))\" is not a time zone",
            remedy: Self.similar(to: name, in: names))
    }

    private static func similar(to name: String, in names: [String]) -> String {
        let wanted = folded(name)
        // A whole name that differs in case or spaces, or the name of a city.
        let city = wanted.split(separator: "/").last ?? ""
        let found =
            names.filter { folded($0) == wanted }
            + names.filter { folded($0).split(separator: "/").last == city }
        if !found.isEmpty {
            return "did you mean \(Array(Set(found)).sorted().prefix(3).joined(separator: " or "))?"
        }
        if let near = nearest(to: wanted, in: names) { return "did you mean \(near)?" }
        return "write a name of the time zone database, such as \"Europe/Berlin\"; "
            + "timedatectl list-timezones lists them"
    }

    private static func folded(_ name: String) -> String {
        String(name.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }

    /// One with few other letters: at most one in four.
    private static func nearest(to wanted: String, in names: [String]) -> String? {
        let letters = Array(wanted.utf8.prefix(40))
        let ranked = names.map { (edits(letters, Array(folded($0).utf8)), $0) }
        guard let best = ranked.min(by: { $0 < $1 }) else { return nil }
        return best.0 <= max(1, letters.count / 4) ? best.1 : nil
    }

    /// Insertions, deletions and replacements from one text to the other.
    private static func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                current.append(
                    min(
                        current[column] + 1, previous[column + 1] + 1,
                        previous[column] + (byte == other ? 0 : 1)))
            }
            previous = current
        }
        return previous[right.count]
    }

    /// Whether a text may name a zone: no path leads out of the folder.
    private static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty && part.first != "." && part.utf8.allSatisfy(isOfName)
            }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Up to `TimeZoneRules.maximumFileBytes`; nil with `errno` set if it cannot be read.
    private static func bytes(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: TimeZoneRules.maximumFileBytes)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes {
                read(file, $0.baseAddress, $0.count)
            }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            length += count
        }
        return Array(bytes[..<length])
    }
}
