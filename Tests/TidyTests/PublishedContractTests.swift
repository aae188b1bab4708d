import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct PublishedContractTests {
    @Test func schemasPageAndManualAgree() async throws {
        // The program that writes all three from one source finds nothing to change.
        let program = SourceTree.root.appendingPathComponent("packaging/contract").path
        let process = try ChildProcess(program, ["--check"])
        #expect(await process.waitForExit() == 0, "\(process.text)")
    }

    @Test func manualHasNoGroffWarnings() async throws {
        let page = SourceTree.root.appendingPathComponent("packaging/man/rowgate-topics.7").path
        let process = try ChildProcess("groff", ["-mdoc", "-ww", "-z", page])
        #expect(await process.waitForExit() == 0)
        #expect(process.text == "")
    }
}
