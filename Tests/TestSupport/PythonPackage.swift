import Foundation

/// A third-party Python package from PyPI, in a folder of the tests.
package enum PythonPackage {
    /// Where `packaging/test` puts them; for PYTHONPATH.
    package static let folder: String = {
        let environment = ProcessInfo.processInfo.environment
        let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
        return environment["ROWGATE_TEST_PYTHONPATH"] ?? cache + "/rowgate-test/python"
    }()

    package static let hasBleak = isThere("bleak")
    package static let hasJSONSchema = isThere("jsonschema")
    package static let hasSchemathesis = isThere("schemathesis")
    package static let hasCalendar = isThere("icalendar")
    package static let hasTrainingFiles =
        isThere("fitdecode") && isThere("tcxreader") && isThere("garmin_fit_sdk")
        && isThere("tcxparser", of: "python-tcxparser")
    /// It needs half a gigabyte of packages, so only `packaging/test` installs it.
    package static let hasRowingData = runs(["-c", "import rowingdata"])

    /// Looks for a module and, where it is missing, installs its package from PyPI once.
    private static func isThere(_ name: String, of package: String? = nil) -> Bool {
        if runs(["-c", "import \(name)"]) { return true }
        _ = runs(["-m", "pip", "install", "--quiet", "--target", folder, package ?? name])
        return runs(["-c", "import \(name)"])
    }

    private static func runs(_ arguments: [String]) -> Bool {
        SpawnedProcess.status(
            of: ["/usr/bin/env", "PYTHONPATH=\(folder)", "python3"] + arguments,
            environment: ProcessInfo.processInfo.environment) == 0
    }
}
