import ControlSocket
import Glibc
import HostRuntime

/// Collects redacted diagnostics for support in one archive.
package struct SupportBundle: Sendable {
    /// One file of it and where it comes from.
    private struct Part {
        var name: String
        var about: String
        var text: String
    }

    private let doctor: Doctor
    private let includesAthletes: Bool
    private let version: String

    package init(doctor: Doctor, includesAthletes: Bool, version: String) {
        self.doctor = doctor
        self.includesAthletes = includesAthletes
        self.version = version
    }

    /// - Parameter now: seconds since 1970.
    package func pack(at now: Int) async -> PackedBundle {
        let facts = await doctor.facts()
        let redaction = Redaction(includesAthletes: includesAthletes, literals: secrets(facts))
        var archive = TarArchive(modified: now)
        let parts = parts(facts)
        var contents: [PackedBundle.File] = []
        func add(_ name: String, _ about: String, _ text: String) {
            let content = Array(text.utf8)
            archive.add(Self.folder + name, content)
            contents.append(
                PackedBundle.File(name: Self.folder + name, bytes: content.count, about: about))
        }
        add("README", "contents, and what was removed", readme(parts))
        for part in parts { add(part.name, part.about, redaction.apply(to: part.text)) }
        return PackedBundle(archive: archive.finished, contents: contents)
    }

    private static let folder = "rowgate-support/"

    private func readme(_ parts: [Part]) -> String {
        let athletes = includesAthletes ? "athletes are included as requested" : "athletes were removed"
        let list = parts.map { "\($0.name): \($0.about)" }.joined(separator: "\n")
        return """
            rowgate \(version)
            Users, passwords and client ids were removed, \(athletes). No stroke is in here.

            \(list)

            """
    }

    private func parts(_ facts: HostFacts) -> [Part] {
        var parts = [
            Part(name: "doctor.txt", about: "rowgatectl doctor", text: report(facts)),
            Part(name: "system.txt", about: "kernel, release, memory, disks", text: system),
            Part(
                name: "configuration.toml", about: "rowgate --print-config",
                text: doctor.configuration.printed()),
            Part(
                name: "journal.txt", about: "the last 2000 lines of rowgate and bluetoothd",
                text: run(
                    "journalctl",
                    ["-u", "rowgate", "-u", "bluetooth", "-n", "2000", "-o", "short-iso-precise"])),
            Part(
                name: "kernel.txt", about: "kernel messages about Bluetooth, USB and SD cards",
                text: run(
                    "journalctl",
                    ["-k", "-n", "500", "-o", "short-iso", "-g", "bluetooth|hci|usb|mmc|voltage"])),
        ]
        if case .running(let status) = facts.service {
            parts.insert(
                Part(
                    name: "status.json", about: "rowgatectl status --json", text: text(of: status)),
                at: 1)
        }
        return parts
    }

    private func text(of status: StatusReply) -> String {
        do { return try status.jsonText() } catch { return "not encodable: \(error)\n" }
    }

    private func report(_ facts: HostFacts) -> String {
        DoctorReport(Checkup.findings(facts)).lines.rendered(inColour: false)
    }

    private var system: String {
        let files = ["/etc/os-release", "/proc/version", "/proc/meminfo", "/proc/loadavg"]
        return files.map { "== \($0)\n\(SmallFile.text($0) ?? "not readable\n")" }.joined()
            + "== /sys/class/bluetooth\n"
            + SmallFile.names(in: "/sys/class/bluetooth").joined(separator: "\n")
            + "\n== df\n" + run("df", ["-h"])
    }

    /// A program of the system, by its place in Debian.
    private func run(_ program: String, _ arguments: [String]) -> String {
        guard let output = ChildOutput(running: "/usr/bin/" + program, arguments) else {
            return "\(program) could not be run: \(String(cString: strerror(errno)))\n"
        }
        return output.text + output.errors
    }

    private func secrets(_ facts: HostFacts) -> [String] {
        guard case .valid(let settings, _) = facts.configuration else { return [] }
        return [
            doctor.broker.password(settings), settings.text("broker.username"),
            settings.text("broker.client_id"),
        ].compactMap(\.self)
    }
}
