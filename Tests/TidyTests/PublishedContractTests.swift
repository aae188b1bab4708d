import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct PublishedContractTests {
    @Test func schemasPageAndManualSayTheSame() async throws {
        // Goal: what is published of the contract cannot drift. Method: the program that writes the
        // schemas, Topics.md and rowgate-topics(7) from one source finds nothing to write.
        let program = SourceTree.root.appendingPathComponent("packaging/contract").path
        let process = try ChildProcess(program, ["--check"])
        #expect(await process.waitForExit() == 0, "\(process.text)")
    }

    @Test func manualIsSound() async throws {
        // Goal: rowgate-topics(7) reads well everywhere. Method: groff with every warning.
        let page = SourceTree.root.appendingPathComponent("packaging/man/rowgate-topics.7").path
        let process = try ChildProcess("groff", ["-mdoc", "-ww", "-z", page])
        #expect(await process.waitForExit() == 0)
        #expect(process.text == "")
    }
}
