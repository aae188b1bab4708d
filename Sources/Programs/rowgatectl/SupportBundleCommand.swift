import ArgumentParser
import Diagnosis
import Glibc
import HostRuntime

struct SupportBundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "support-bundle",
        abstract: "Collect diagnostics for support.",
        discussion: """
            The file holds the doctor's report, the status, the configuration, and the last lines \
            of the journal. User names, passwords and client ids are removed, and so is what says \
            who rowed. Look at it before you send it: tar -xOf FILE. Run it as root, so that \
            everything is in it.
            """)

    @OptionGroup var subject: DoctorSubject
    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "path"))
    var output = "rowgate-support.tar"
    @Flag(help: "Include the names of athletes.") var includeAthletes = false
    @Flag(help: "Print what it holds as JSON, for programs.") var json = false

    func run() throws {
        let bundle = SupportBundle(
            doctor: subject.doctor, includesAthletes: includeAthletes, version: Release.facts)
        let now = time(nil)
        let packed = Blocking.result { await bundle.pack(at: now) }
        try WholeFile.write(packed.archive, to: output, mode: 0o600)
        Terminal.show(
            packed.lines(writtenTo: output),
            orJSON: json ? try packed.jsonText(writtenTo: output) : nil)
    }
}
